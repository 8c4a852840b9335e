/** Runs the gate tests, and writes their results to docs/security.md: `node scripts/write-gate-table.ts`. */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const files = globSync('e2e/gate/gate*.{test,browsers}.ts', { cwd: ROOT }).filter(
  (file) => !file.endsWith('gate-table.test.ts'),
);
const { status } = spawnSync(process.execPath, ['--test', '--test-concurrency=1', ...files], {
  cwd: ROOT,
  stdio: 'inherit',
  env: { ...process.env, CLOCHE_WRITE_GATE_TABLE: '1' },
});
process.exitCode = status ?? 1;
