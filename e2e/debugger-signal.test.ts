import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { it, type TestContext } from 'node:test';
import { SERVICE_ARGUMENTS, SERVICE_MAIN } from '../scripts/service-process.ts';
import { waitUntil } from '../scripts/wait-until.ts';
import { ServiceProcess } from './service-process.ts';

const DEBUGGER_OUTPUT = /Debugger listening|Starting inspector/;

it('SIGUSR1 opens no debugger in the service, however it was started', async (t) => {
  for (const nodeArguments of [SERVICE_ARGUMENTS, [SERVICE_MAIN]]) {
    const service = await ServiceProcess.open(
      t,
      {},
      {
        nodeArguments: ['--inspect-port=0', ...nodeArguments],
      },
    );
    process.kill(service.pid, 'SIGUSR1');
    await opensDebugger(t);
    assert.doesNotMatch(service.output, DEBUGGER_OUTPUT);
    assert.equal((await fetch(`${service.origin}/readyz`)).status, 200);
    await service.kill();
  }
});

/** Sends the signal to a process that does not ignore it, and waits until it has opened a debugger. */
async function opensDebugger(t: TestContext): Promise<void> {
  const script = 'console.log(0); setInterval(() => {}, 1000);';
  const child: ChildProcess = spawn(process.execPath, ['--inspect-port=0', '--eval', script]);
  t.after(() => child.kill('SIGKILL'));
  let [started, output] = [false, ''];
  child.stdout?.on('data', () => {
    started = true;
  });
  child.stderr?.on('data', (text) => {
    output += text;
  });
  await waitUntil(
    () => 'the process to start',
    async () => started,
    { timeoutMs: 120_000 },
  );
  child.kill('SIGUSR1');
  const isOpen = async () => DEBUGGER_OUTPUT.test(output);
  await waitUntil(() => 'the debugger', isOpen, { timeoutMs: 120_000 });
}
