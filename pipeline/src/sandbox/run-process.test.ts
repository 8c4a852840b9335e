import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { waitForProcessExit } from '../../testing/processes.ts';
import { openTemporaryDirectory } from '../../testing/temporary-directory.ts';
import { type ProcessExit, type RunProcessOptions, runProcess } from './run-process.ts';

/** Runs a shell script; resolves with its exit and what it wrote to file descriptor 3. */
async function runShell(
  t: TestContext,
  script: string,
  options: Partial<RunProcessOptions> = {},
): Promise<ProcessExit & { fd3Output: string }> {
  let fd3Output = '';
  const exit = await runProcess({
    command: ['/bin/sh', '-c', script],
    directory: await openTemporaryDirectory(t),
    timeoutMs: 30_000,
    onData: (bytes) => {
      fd3Output += bytes;
    },
    ...options,
  });
  return { ...exit, fd3Output };
}

it('kills the whole process group on timeout', { timeout: 60_000 }, async (t) => {
  // Time for a slow machine to start the shell.
  const exit = await runShell(t, 'sleep 60 & echo $! >&3; wait', { timeoutMs: 10_000 });
  assert.deepEqual([exit.killReason, exit.signal], ['timeout', 'SIGKILL']);
  await waitForProcessExit(t, Number(exit.fd3Output));
});

it('kills the rest of the process group when the command exits', { timeout: 60_000 }, async (t) => {
  const exit = await runShell(t, 'sleep 60 & echo $! >&3');
  assert.equal(exit.exitCode, 0);
  await waitForProcessExit(t, Number(exit.fd3Output));
});

it('does not wait for a process outside the group that holds the pipes', {
  timeout: 60_000,
}, async (t) => {
  // The command ends when the process has left the group.
  const script =
    "mkfifo left; setsid sh -c 'echo $$ >&3; echo >left; exec sleep 60' & read -r line <left";
  const exit = await runShell(t, script);
  assert.equal(exit.exitCode, 0);
  // Throws unless the process left the group and is still running.
  process.kill(Number(exit.fd3Output), 'SIGKILL');
});

it('returns the end of the output, sanitized', async (t) => {
  const script = 'head -c 2000000 /dev/zero | tr "\\0" x; printf "\\n\\033[31mred\\0\\n" >&2';
  const { output } = await runShell(t, script);
  assert.ok(output.length <= 8192);
  assert.match(output, /x{1000}/);
  assert.match(output, /^\[31mred$/m);
});

it('throttles a process that never stops writing', async (t) => {
  let bytes = 0;
  const onData = (piece: Buffer) => {
    bytes += piece.length;
  };
  const exit = await runShell(t, 'exec cat /dev/zero >&3', { timeoutMs: 1000, onData });
  assert.equal(exit.killReason, 'timeout');
  assert.ok(bytes > 0 && bytes < 32 * 1024 * 1024, `${bytes} bytes`);
});

it('rejects when the program cannot be started', async (t) => {
  await assert.rejects(runShell(t, '', { command: ['/no/such/program'] }), { code: 'ENOENT' });
});
