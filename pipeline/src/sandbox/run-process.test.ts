import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { waitForProcessExit } from '../../testing/processes.ts';
import { openTemporaryDirectory } from '../../testing/temporary-directory.ts';
import { type ProcessExit, type RunProcessOptions, runProcess } from './run-process.ts';

/** Runs a shell's script; resolves with its end and what it said on descriptor 3. */
async function runShell(
  t: TestContext,
  script: string,
  options: Partial<RunProcessOptions> = {},
): Promise<ProcessExit & { said: string }> {
  let said = '';
  const end = await runProcess({
    command: ['/bin/sh', '-c', script],
    directory: await openTemporaryDirectory(t),
    timeoutMs: 30_000,
    signal: new AbortController().signal,
    onData: (bytes) => {
      said += bytes;
    },
    ...options,
  });
  return { ...end, said };
}

it('ends the whole group when the time is over', { timeout: 10_000 }, async (t) => {
  const end = await runShell(t, 'sleep 60 & echo $! >&3; wait', { timeoutMs: 300 });
  assert.deepEqual([end.killReason, end.signal], ['timeout', 'SIGKILL']);
  await waitForProcessExit(t, Number(end.said));
});

it('leaves nothing of the group behind', { timeout: 10_000 }, async (t) => {
  const end = await runShell(t, 'sleep 60 & echo $! >&3');
  assert.equal(end.exitCode, 0);
  await waitForProcessExit(t, Number(end.said));
});

it('does not wait for what holds its pipes from outside', { timeout: 10_000 }, async (t) => {
  const end = await runShell(t, 'setsid sleep 60 & echo $! >&3; sleep 0.2');
  assert.equal(end.exitCode, 0);
  // It did leave the group, or this throws.
  process.kill(Number(end.said), 'SIGKILL');
});

it('keeps the last of what is printed, fit for a log', async (t) => {
  const script = 'head -c 2000000 /dev/zero | tr "\\0" x; printf "\\n\\033[31mred\\0\\n" >&2';
  const { output } = await runShell(t, script);
  assert.ok(output.length <= 8192);
  assert.match(output, /x{1000}/);
  assert.match(output, /^\[31mred$/m);
});

it('is not kept busy by a child that never stops talking', async (t) => {
  let bytes = 0;
  const onData = (piece: Buffer) => {
    bytes += piece.length;
  };
  const end = await runShell(t, 'exec cat /dev/zero >&3', { timeoutMs: 1000, onData });
  assert.equal(end.killReason, 'timeout');
  assert.ok(bytes > 0 && bytes < 32 * 1024 * 1024, `${bytes} bytes`);
});

it('says so when the program cannot be started', async (t) => {
  await assert.rejects(runShell(t, '', { command: ['/no/such/program'] }), { code: 'ENOENT' });
});
