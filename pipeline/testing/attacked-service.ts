/*
 * A process that stands for the service: it has a secret in its environment and an open file, and
 * runs one worker: `restricted` (only JavaScript is restricted), `isolated` (only by bubblewrap) or `unrestricted`.
 * It reports `{"done":true}` when the worker has exited.
 *
 * Arguments: the job directory, the file of the secret, the mode.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';

const [directory = '', secretFile = '', mode] = process.argv.slice(2);
const secretDescriptor = openSync(secretFile, 'r');

if (mode === 'restricted') {
  const { detectIsolation } = await import('../src/sandbox/isolation.ts');
  const { openSandbox } = await import('../src/sandbox/sandbox.ts');
  // Without the isolation of the system: the restrictions of JavaScript must be enough.
  const isolation = await detectIsolation([]);
  const sandbox = await openSandbox({ entryPoint: 'attack.ts', isolation });
  await sandbox.run(directory);
} else if (mode === 'isolated') {
  await runIsolated();
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

/** Without the restrictions of JavaScript, which native code can circumvent: the isolation must be enough. */
async function runIsolated(): Promise<void> {
  const { findBubblewrap } = await import('../src/sandbox/bubblewrap.ts');
  const { limitCommand } = await import('../src/sandbox/isolation.ts');
  const { getDefaultLimits } = await import('../src/sandbox/limits.ts');
  const { receiveResults } = await import('../src/sandbox/receive-results.ts');
  const { runProcess } = await import('../src/sandbox/run-process.ts');
  const bubblewrap = await findBubblewrap();
  if ('reason' in bubblewrap) throw new Error(bubblewrap.reason);
  await bubblewrap.shareInput(directory);
  const command = bubblewrap.wrapCommand([process.execPath, 'attack.ts'], directory);
  await runProcess({
    command: limitCommand(command, getDefaultLimits()),
    directory,
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    filter: bubblewrap.filter,
    onData: () => {},
    receiveResults: (pipe) => receiveResults(pipe, join(directory, 'out'), 1_000_000),
  });
}
