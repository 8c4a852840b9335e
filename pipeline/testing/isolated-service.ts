/*
 * A process that stands for the service: it has a secret in its environment and an open file, and runs workers whose
 * JavaScript is not restricted, like native code. Only the isolation restricts them.
 *
 * Arguments: the level, and the file of the secret. It sends `{ pid, report }`. For each message with the directory of
 * a job it runs a worker, and sends `{ output }` when that has exited.
 */
import { openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { getDefaultLimits, getWorkerLimits } from '../src/sandbox/limits.ts';
import { receiveResults } from '../src/sandbox/receive-results.ts';
import { runIsolated } from '../src/sandbox/run-isolated.ts';
import { openSandbox } from '../src/sandbox/sandbox.ts';
import type { SandboxLevel } from '../src/sandbox/sandbox-report.ts';

const [level, secretFile = ''] = process.argv.slice(2);
openSync(secretFile, 'r');
const { isolation, report } = await openSandbox({ level: level as SandboxLevel | 'auto' });
process.on('message', async (directory: string) => {
  const output = await runAttack(directory);
  // For packets to arrive.
  await wait(100);
  process.send?.({ output });
});
process.send?.({ pid: process.pid, report });

async function runAttack(directory: string): Promise<string> {
  const script = await readFile(join(directory, 'attack.ts'), 'utf8');
  const { output } = await runIsolated(isolation, {
    // Another user cannot enter the directories above, and Node finds a main module by its whole path.
    command: [process.execPath, '--input-type=module', '--eval', script],
    directory,
    limits: getWorkerLimits(getDefaultLimits()),
    timeoutMs: 60_000,
    receiveResults: (pipe) => receiveResults(pipe, join(directory, 'out'), 1_000_000),
  });
  return output;
}
