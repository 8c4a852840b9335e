import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openSandbox } from '../sandbox.ts';
import { defaultBounds } from './bounds.ts';
import { launch } from './launch.ts';
import { probeWalls } from './walls.ts';

const GIB = 1024 ** 3;

/** What a shell within these walls prints. */
async function within(script: string): Promise<string[]> {
  const walls = await probeWalls();
  const bounds = { ...defaultBounds(), memoryBytes: 3 * GIB, fileBytes: GIB };
  const { printed } = await launch({
    command: walls.wrap(['/bin/sh', '-c', script], bounds),
    folder: '/',
    timeoutMs: 5000,
    signal: new AbortController().signal,
    hear: () => {},
  });
  return printed.split('\n');
}

it('says once what this system cannot do', async () => {
  const said: unknown[] = [];
  const log = { warn: (details: unknown) => said.push(details) };
  const walls = await probeWalls([]);
  assert.deepEqual(
    { ...walls, wrap: undefined },
    { network: false, memory: true, leash: false, wrap: undefined },
  );
  await openSandbox({ log, walls });
  assert.deepEqual(said, [
    { missing: ['no network (unshare -n)', 'an end with the service (setpriv --pdeathsig)'] },
  ]);
});

it('bounds data, addresses, files and dumps', async () => {
  const limits = await within('ulimit -d; ulimit -v; ulimit -f; ulimit -c');
  const address = String(defaultBounds().addressBytes / 1024);
  assert.deepEqual(limits, [String(3 * 1024 * 1024), address, String(2 * 1024 * 1024), '0']);
});

it('gives words as they are, whatever a shell would make of them', async () => {
  const walls = await probeWalls();
  const odd = `$(touch /tmp/x) ; "'\\ *`;
  const command = walls.wrap(['/bin/echo', odd], defaultBounds());
  const { printed } = await launch({
    command,
    folder: '/',
    timeoutMs: 5000,
    signal: new AbortController().signal,
    hear: () => {},
  });
  assert.equal(printed, odd);
});

it('lets those go first who serve requests', async () => {
  assert.deepEqual(await within('nice'), ['10']);
});

it('is the first to go when the machine has no memory left', async (t) => {
  if (process.platform !== 'linux') return t.skip('Linux alone has it');
  assert.deepEqual(await within('cat /proc/self/oom_score_adj'), ['1000']);
});

it('holds no power of a root but to write where the service does', async (t) => {
  if (!(await probeWalls()).leash || process.getuid?.() !== 0)
    return t.skip('not root, or no setpriv');
  assert.deepEqual(await within('grep CapEff /proc/self/status'), ['CapEff: 0000000000000002']);
});
