import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { mapConcurrently } from './map-concurrently.ts';

const WORKSPACES = [
  'contract',
  'pipeline',
  'server',
  'viewer',
  'sdk',
  'console',
  'demo',
  'bench',
  'e2e',
  'scripts',
];
const ROOT = join(import.meta.dirname, '..');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

const exitCodes = await mapConcurrently(WORKSPACES, availableParallelism(), async (workspace) => {
  const args = [TSC, '--project', join(ROOT, workspace)];
  const tsc = spawn(process.execPath, args, { stdio: 'inherit' });
  const [exitCode] = await once(tsc, 'exit');
  return exitCode;
});
if (exitCodes.some((exitCode) => exitCode !== 0)) process.exitCode = 1;
