/*
 * A process that stands for the service: it has a secret in its environment and an open file, and
 * runs one worker: `restricted` (only JavaScript is restricted) or `unrestricted`.
 * It reports `{"done":true}` when the worker has exited.
 *
 * Arguments: the job directory, the file of the secret, the mode.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';

const [directory = '', secretFile = '', mode] = process.argv.slice(2);
const secretDescriptor = openSync(secretFile, 'r');

if (mode === 'restricted') {
  const { detectReducedIsolation } = await import('../src/sandbox/reduced-isolation.ts');
  const { openSandbox } = await import('../src/sandbox/sandbox.ts');
  // Without the isolation of the system: the restrictions of JavaScript must be enough.
  const isolation = await detectReducedIsolation({ directories: [] });
  const sandbox = await openSandbox({ entryPoint: 'attack.ts', isolation });
  await sandbox.run(directory);
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
