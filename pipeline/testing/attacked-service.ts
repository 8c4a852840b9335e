/*
 * A process that stands for the service: it has a secret in its environment and an open file, and
 * runs one worker in one of these modes:
 * - `unrestricted`
 * - `restricted`: only JavaScript is restricted
 * - `strict`, `reduced`: only by the isolation of this level. JavaScript is not restricted, like native code.
 * It reports `{"done":true}` when the worker has exited.
 *
 * Arguments: the job directory, the file of the secret, the mode.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SandboxLevel } from '../src/sandbox/isolation.ts';
import { STARTED } from './worker-attacks.ts';

const [directory = '', secretFile = '', mode] = process.argv.slice(2);
const secretDescriptor = openSync(secretFile, 'r');

if (mode === 'restricted') {
  const { detectReducedIsolation } = await import('../src/sandbox/reduced-isolation.ts');
  const { openSandbox } = await import('../src/sandbox/sandbox.ts');
  // Without the isolation of the system: the restrictions of JavaScript must be enough.
  const isolation = await detectReducedIsolation([]);
  const sandbox = await openSandbox({ entryPoint: 'attack.ts', isolation });
  await sandbox.run(directory);
} else if (mode === 'strict' || mode === 'reduced') {
  await runInIsolation(mode);
} else {
  const worker = spawn(process.execPath, ['attack.ts'], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'inherit', 'pipe', secretDescriptor],
  });
  await once(worker, 'exit');
}
// For an inspector to open, and for packets to arrive.
await new Promise((resolve) => setTimeout(resolve, 200));
process.send?.({ done: true });
setInterval(() => {}, 1000);

async function runInIsolation(level: SandboxLevel): Promise<void> {
  const { getDefaultLimits, getWorkerLimits } = await import('../src/sandbox/limits.ts');
  const { receiveResults } = await import('../src/sandbox/receive-results.ts');
  const { runIsolated } = await import('../src/sandbox/run-isolated.ts');
  const { openSandbox } = await import('../src/sandbox/sandbox.ts');
  const script = await readFile(join(directory, 'attack.ts'), 'utf8');
  const { isolation } = await openSandbox({ level });
  const { output } = await runIsolated(isolation, {
    // Another user cannot enter the directories above that of the job, and Node finds its main module by the whole path.
    command: [process.execPath, '--input-type=module', '--eval', script],
    directory,
    limits: getWorkerLimits(getDefaultLimits()),
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    onData: () => {},
    receiveResults: (pipe) => receiveResults(pipe, join(directory, 'out'), 1_000_000),
  });
  if (!existsSync(join(directory, STARTED))) console.error(output);
}
