import assert from 'node:assert/strict';
import { it } from 'node:test';
import { detectIsolation } from './isolation.ts';
import { getDefaultLimits } from './limits.ts';
import { runProcess } from './run-process.ts';
import { openSandbox } from './sandbox.ts';

const GIB = 1024 ** 3;

/** What a shell within these walls prints. */
async function runIsolated(script: string): Promise<string[]> {
  const walls = await detectIsolation();
  const bounds = { ...getDefaultLimits(), memoryBytes: 3 * GIB, fileBytes: GIB };
  const { output } = await runProcess({
    command: walls.wrapCommand(['/bin/sh', '-c', script], bounds),
    directory: '/',
    timeoutMs: 5000,
    signal: new AbortController().signal,
    onData: () => {},
  });
  return output.split('\n');
}

it('says once what this system cannot do', async () => {
  const said: unknown[] = [];
  const log = { warn: (details: unknown) => said.push(details) };
  const isolation = await detectIsolation([]);
  assert.deepEqual(
    { ...isolation, wrapCommand: undefined },
    {
      blocksNetwork: false,
      limitsMemory: true,
      hasParentDeathSignal: false,
      wrapCommand: undefined,
    },
  );
  await openSandbox({ log, isolation });
  assert.deepEqual(said, [
    { missing: ['no network (unshare -n)', 'an end with the service (setpriv --pdeathsig)'] },
  ]);
});

it('bounds data, addresses, files and dumps', async () => {
  const limits = await runIsolated('ulimit -d; ulimit -v; ulimit -f; ulimit -c');
  const address = String(getDefaultLimits().addressSpaceBytes / 1024);
  assert.deepEqual(limits, [String(3 * 1024 * 1024), address, String(2 * 1024 * 1024), '0']);
});

it('gives words as they are, whatever a shell would make of them', async () => {
  const walls = await detectIsolation();
  const odd = `$(touch /tmp/x) ; "'\\ *`;
  const command = walls.wrapCommand(['/bin/echo', odd], getDefaultLimits());
  const { output } = await runProcess({
    command,
    directory: '/',
    timeoutMs: 5000,
    signal: new AbortController().signal,
    onData: () => {},
  });
  assert.equal(output, odd);
});

it('lets those go first who serve requests', async () => {
  assert.deepEqual(await runIsolated('nice'), ['10']);
});

it('is the first to go when the machine has no memory left', async (t) => {
  if (process.platform !== 'linux') return t.skip('Linux alone has it');
  assert.deepEqual(await runIsolated('cat /proc/self/oom_score_adj'), ['1000']);
});

it('holds no power of a root but to write where the service does', async (t) => {
  if (!(await detectIsolation()).hasParentDeathSignal || process.getuid?.() !== 0)
    return t.skip('not root, or no setpriv');
  assert.deepEqual(await runIsolated('grep CapEff /proc/self/status'), [
    'CapEff: 0000000000000002',
  ]);
});
