/**
 * Preloaded by a process of a test: it kills itself when it has stored as many files in a blob store as `STORED_FILES` says. A test that
 * watches the folder of a process would be too late on a slow machine.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { renameSync } = fs;
let remaining = Number(process.env.STORED_FILES);
fs.renameSync = (from, to) => {
  renameSync(from, to);
  if (!/[0-9a-f]{64}$/.test(String(to))) return;
  remaining -= 1;
  if (remaining === 0) process.kill(process.pid, 'SIGKILL');
};
syncBuiltinESMExports();
