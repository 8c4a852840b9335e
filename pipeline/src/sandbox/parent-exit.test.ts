import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { waitForProcessExit } from '../../testing/processes.ts';
import { openTemporaryDirectory } from '../../testing/temporary-directory.ts';
import { detectReducedIsolation } from './reduced-isolation.ts';

const [processes, sandbox, isolation, parentChannel] = [
  '../../testing/processes.ts',
  './sandbox.ts',
  './reduced-isolation.ts',
  './worker/parent-channel.ts',
].map((path) => JSON.stringify(import.meta.resolve(path)));

const BUSY = 'for (;;);';
const IDLE = 'setInterval(() => {}, 1000);';

type ProcessPairOptions = { workerScript: string; isolated: boolean; parentScript?: string };

/** Starts a service, as a separate process, with a worker whose job never ends. */
async function startProcessPair(
  t: TestContext,
  { workerScript, isolated, parentScript = '' }: ProcessPairOptions,
) {
  const directory = await openTemporaryDirectory(t);
  await writeFile(
    join(directory, 'worker.ts'),
    `import { exitWithParent, reportToParent } from ${parentChannel};
    exitWithParent();
    reportToParent('read', 0);
    ${workerScript}`,
  );
  const parent = join(directory, 'parent.ts');
  await writeFile(
    parent,
    `import { findWorkerPid } from ${processes};
    import { openSandbox } from ${sandbox};
    import { detectReducedIsolation } from ${isolation};
    const isolation = await detectReducedIsolation(${isolated ? '' : '{ directories: [] }'});
    const sandbox = await openSandbox({ entryPoint: 'worker.ts', isolation });
    await sandbox.run(${JSON.stringify(directory)}, { onProgress: () => { console.log(findWorkerPid(${JSON.stringify(directory)})); ${parentScript} } });`,
  );
  const service = spawn(process.execPath, [parent], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => service.kill('SIGKILL'));
  const [pid] = (await once(service.stdout, 'data')) as [Buffer];
  return { service, pid: Number(pid) };
}

it('an idle worker exits when the service is killed', { timeout: 60_000 }, async (t) => {
  const { service, pid } = await startProcessPair(t, { workerScript: IDLE, isolated: false });
  service.kill('SIGKILL');
  await waitForProcessExit(t, pid);
});

it('a busy worker is killed when the service is killed', { timeout: 60_000 }, async (t) => {
  if (!(await detectReducedIsolation()).hasParentDeathSignal)
    return t.skip('setpriv --pdeathsig does not work here');
  const { service, pid } = await startProcessPair(t, { workerScript: BUSY, isolated: true });
  service.kill('SIGKILL');
  await waitForProcessExit(t, pid);
});

it('a busy worker is killed when the service exits', { timeout: 60_000 }, async (t) => {
  const { service, pid } = await startProcessPair(t, {
    workerScript: BUSY,
    isolated: false,
    parentScript: 'process.exit(0);',
  });
  if (service.exitCode === null) assert.deepEqual(await once(service, 'exit'), [0, null]);
  await waitForProcessExit(t, pid);
});
