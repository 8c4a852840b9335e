import assert from 'node:assert/strict';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { findProcessesUsing } from '../../testing/processes.ts';
import { openTemporaryDirectory } from '../../testing/temporary-directory.ts';
import { findBubblewrap } from './bubblewrap.ts';
import { findExecutable } from './find-executable.ts';
import { getDefaultLimits, getWorkerLimits, type ResourceLimits } from './limits.ts';
import { detectReducedIsolation } from './reduced-isolation.ts';
import { runIsolated } from './run-isolated.ts';
import { openSandbox } from './sandbox.ts';

const GIB = 1024 ** 3;
const isolation = await detectReducedIsolation();
const LIMITS: ResourceLimits = {
  ...getWorkerLimits({ ...getDefaultLimits(), memoryBytes: 3 * GIB }),
  cpuSeconds: 100,
};

/** Runs a command at the level `reduced`, in a new directory. */
async function run(
  t: TestContext,
  command: readonly string[],
  options: { limits?: ResourceLimits; directory?: string } = {},
) {
  return runIsolated(isolation, {
    command,
    directory: await openTemporaryDirectory(t),
    limits: LIMITS,
    timeoutMs: 60_000,
    ...options,
  });
}

/** Returns the lines that a shell script prints. */
async function runScript(t: TestContext, script: string): Promise<string[]> {
  return (await run(t, ['/bin/sh', '-c', script])).output.split('\n');
}

it('the sandbox warns once about protections that this system does not have', async () => {
  const warnings: unknown[] = [];
  const log = { warn: (details: unknown) => warnings.push(details) };
  const isolation = await detectReducedIsolation({ directories: [] });
  await openSandbox({ log, isolation });
  const missing = [
    'files: native code can read and write what the user of the service can',
    'processes: native code can send signals to other processes of that user, and leave processes behind',
    'system calls: there is no filter',
    'network: native code can open connections',
    'processes: their number is not limited',
    'exit: a busy worker outlives a service that is killed',
    ...(process.getuid?.() === 0 ? ["browser: Chromium's own sandbox does not start"] : []),
  ];
  assert.deepEqual(warnings, [{ level: 'reduced', missing }]);
});

it('as root without another user, the processes of a job are not limited, and the report says so', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('not root');
  const prlimit = await findExecutable('prlimit');
  if (prlimit === '') return t.skip('prlimit is missing');
  const directory = await openTemporaryDirectory(t);
  await symlink(prlimit, join(directory, 'prlimit'));
  const { changesUser, missing } = await detectReducedIsolation({ directories: [directory] });
  assert.equal(changesUser, false);
  assert.ok(missing.includes('processes: their number is not limited'), missing.join());
});

it('the isolation limits data, address space, file size, core dumps and processor time', async (t) => {
  const script = 'ulimit -d; ulimit -v; ulimit -f; ulimit -c; ulimit -S -t; ulimit -H -t';
  const addressSpaceKib = String(getDefaultLimits().addressSpaceBytes / 1024);
  assert.deepEqual(await runScript(t, script), [
    String(3 * 1024 * 1024),
    addressSpaceKib,
    '0',
    '0',
    '100',
    '105',
  ]);
});

it('a process that uses too much processor time is ended, at every level', async (t) => {
  const strict = await findBubblewrap();
  const isolations = 'level' in strict ? [isolation, strict] : [isolation];
  for (const isolation of isolations) {
    const { signal, output } = await runIsolated(isolation, {
      command: [process.execPath, '--eval', 'for (;;);'],
      directory: await openTemporaryDirectory(t),
      limits: { ...LIMITS, cpuSeconds: 1 },
      timeoutMs: 60_000,
    });
    assert.equal(signal, 'SIGXCPU', `${isolation.level}: ${output}`);
  }
});

it('as root, the detection keeps its user while a process has it: other services kill those of free users', async (t) => {
  if (!isolation.changesUser) return t.skip('not root, or setpriv is missing');
  const directory = await openTemporaryDirectory(t);
  const log = join(directory, 'log');
  const setpriv = `#!/bin/sh
    sleep 0.1
    for flag; do
      case $flag in --reuid=*) grep -c "@cloche-sandbox-user-\${flag#--reuid=}$" /proc/net/unix >>${log};; esac
    done`;
  await writeFile(join(directory, 'setpriv'), setpriv, { mode: 0o755 });
  await writeFile(join(directory, 'unshare'), '#!/bin/sh\nshift; exec "$@"', { mode: 0o755 });
  await detectReducedIsolation({ directories: [directory] });
  // The probe of the worker, and that of user namespaces.
  assert.equal(await readFile(log, 'utf8'), '1\n1\n');
});

it('the isolation passes arguments unchanged, even with characters special to a shell', async (t) => {
  const argument = `$(touch /tmp/x) ; "'\\ *`;
  assert.equal((await run(t, ['/bin/echo', argument])).output, argument);
});

it('an isolated process runs at a lower priority than the service', async (t) => {
  assert.deepEqual(await runScript(t, 'nice'), ['10']);
});

it('an isolated process is the first that the OOM killer ends', async (t) => {
  if (process.platform !== 'linux') return t.skip('only Linux supports it');
  assert.deepEqual(await runScript(t, 'cat /proc/self/oom_score_adj'), ['1000']);
});

it('as root, an isolated process has another user, one group and no privilege', async (t) => {
  if (!isolation.changesUser) return t.skip('not root, or setpriv is missing');
  const script = 'grep -E "^(Uid|Gid|Groups|Cap...|NoNewPrivs):" /proc/self/status';
  const status = (await runScript(t, script)).map((line) => line.replaceAll(/\s+/g, ' '));
  const [, id] = /^Uid: (655[23]\d) /.exec(status[0] ?? '') ?? [];
  assert.deepEqual(status, [
    `Uid: ${id} ${id} ${id} ${id}`,
    `Gid: ${id} ${id} ${id} ${id}`,
    'Groups:',
    ...['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].map((set) => `${set}: 0000000000000000`),
    'NoNewPrivs: 1',
  ]);
});

it('as root, jobs that run at the same time have different users', async (t) => {
  if (!isolation.changesUser) return t.skip('not root, or setpriv is missing');
  const script = 'id -u; date +%s%N; sleep 0.2; date +%s%N';
  const outputs = await Promise.all(Array.from({ length: 20 }, () => runScript(t, script)));
  const jobs = outputs.map(([id, start, end]) => ({ id, start: Number(start), end: Number(end) }));
  // There are fourteen users. Other services of this machine may have some of them: then more jobs wait.
  const pairs = jobs.flatMap((a, index) => jobs.slice(index + 1).map((b) => ({ a, b })));
  const simultaneous = pairs.filter(({ a, b }) => a.start < b.end && b.start < a.end);
  assert.ok(simultaneous.length > 0);
  assert.deepEqual(
    simultaneous.filter(({ a, b }) => a.id === b.id),
    [],
  );
});

it('as root, the number of processes of a job is limited, and none outlives it', async (t) => {
  if (!isolation.changesUser) return t.skip('not root, or setpriv is missing');
  const marker = `${process.pid}${Date.now()}`;
  const script = `(trap '' TERM; setsid sleep 300.${marker} >/dev/null 2>&1 &)
    sleep 0.3; count=0
    while [ $count -lt 400 ]; do sleep 300.${marker} >/dev/null 2>&1 3>&1 4>&1 & count=$((count + 1)); done 2>/dev/null
    echo "$count"`;
  const { output } = await run(t, ['/bin/sh', '-c', script]);
  assert.notEqual(output.split('\n').at(-1), '400');
  assert.deepEqual(findProcessesUsing(marker), []);
});

it('the worker reads its input in a directory that other users cannot enter', async (t) => {
  const parent = await openTemporaryDirectory(t);
  const directory = join(parent, 'job');
  await mkdir(directory, { mode: 0o700 });
  await writeFile(join(directory, 'source'), 'content', { mode: 0o600 });
  await writeFile(join(parent, 'secret'), 'secret', { mode: 0o600 });
  const { output } = await run(t, ['/bin/sh', '-c', 'cat source; cat ../secret'], { directory });
  if (!isolation.changesUser) return assert.equal(output, 'contentsecret');
  assert.match(output, /^content\n.*Permission denied/);
});
