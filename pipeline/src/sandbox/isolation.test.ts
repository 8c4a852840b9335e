import assert from 'node:assert/strict';
import { it } from 'node:test';
import { detectIsolation } from './isolation.ts';
import { getDefaultLimits } from './limits.ts';
import { runProcess } from './run-process.ts';
import { openSandbox } from './sandbox.ts';

const GIB = 1024 ** 3;

/** Returns the lines that a shell script prints when it runs isolated. */
async function runIsolated(script: string): Promise<string[]> {
  const isolation = await detectIsolation();
  const limits = { ...getDefaultLimits(), memoryBytes: 3 * GIB, fileBytes: GIB };
  const { output } = await runProcess({
    command: isolation.wrapCommand(['/bin/sh', '-c', script], limits),
    directory: '/',
    timeoutMs: 5000,
    signal: new AbortController().signal,
    onData: () => {},
  });
  return output.split('\n');
}

it('the sandbox warns once about isolation that this system does not support', async () => {
  const warnings: unknown[] = [];
  const log = { warn: (details: unknown) => warnings.push(details) };
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
  assert.deepEqual(warnings, [
    {
      level: 'reduced',
      missing: [
        'files: native code can read and write what the user of the service can',
        'processes: native code can send signals to other processes of that user',
        'system calls: there is no filter',
        'network: native code can open connections',
        'exit: a busy worker outlives a service that is killed',
      ],
    },
  ]);
});

it('the isolation limits data, address space, file size and core dumps', async () => {
  const limits = await runIsolated('ulimit -d; ulimit -v; ulimit -f; ulimit -c');
  const addressSpaceKib = String(getDefaultLimits().addressSpaceBytes / 1024);
  assert.deepEqual(limits, [
    String(3 * 1024 * 1024),
    addressSpaceKib,
    String(2 * 1024 * 1024),
    '0',
  ]);
});

it('the isolation passes arguments unchanged, even with characters special to a shell', async () => {
  const isolation = await detectIsolation();
  const argument = `$(touch /tmp/x) ; "'\\ *`;
  const command = isolation.wrapCommand(['/bin/echo', argument], getDefaultLimits());
  const { output } = await runProcess({
    command,
    directory: '/',
    timeoutMs: 5000,
    signal: new AbortController().signal,
    onData: () => {},
  });
  assert.equal(output, argument);
});

it('an isolated process runs at a lower priority than the service', async () => {
  assert.deepEqual(await runIsolated('nice'), ['10']);
});

it('an isolated process is the first that the OOM killer ends', async (t) => {
  if (process.platform !== 'linux') return t.skip('only Linux supports it');
  assert.deepEqual(await runIsolated('cat /proc/self/oom_score_adj'), ['1000']);
});

it('an isolated process has no capability of root except CAP_DAC_OVERRIDE', async (t) => {
  if (!(await detectIsolation()).hasParentDeathSignal || process.getuid?.() !== 0)
    return t.skip('not root, or setpriv is missing');
  assert.deepEqual(await runIsolated('grep CapEff /proc/self/status'), [
    'CapEff: 0000000000000002',
  ]);
});
