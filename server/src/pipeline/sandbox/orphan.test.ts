import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { openFolder } from '../../../testing/ground.ts';
import { untilGone } from '../../../testing/processes.ts';
import { probeWalls } from './walls.ts';

const [sandbox, wallsOf, line] = ['../sandbox.ts', './walls.ts', '../child/line.ts'].map((path) =>
  JSON.stringify(import.meta.resolve(path)),
);

const BUSY = 'for (;;);';
const TURNING = 'setInterval(() => {}, 1000);';

type Family = { child: string; helped: boolean; atChild?: string };

/** Starts a service of its own with a child that does its job for ever, both as scripts. */
async function start(t: TestContext, { child, helped, atChild = '' }: Family) {
  const folder = await openFolder(t);
  await writeFile(
    join(folder, 'child.ts'),
    `import { writeFileSync } from 'node:fs';
    import { followParent, tellParent } from ${line};
    writeFileSync('out/pid', String(process.pid));
    followParent();
    tellParent('read', 0);
    ${child}`,
  );
  const parent = join(folder, 'parent.ts');
  await writeFile(
    parent,
    `import { openSandbox } from ${sandbox};
    import { probeWalls } from ${wallsOf};
    const walls = await probeWalls(${helped ? '' : '[]'});
    const sandbox = await openSandbox({ entry: 'child.ts', walls });
    await sandbox.run(${JSON.stringify(folder)}, { tell: () => { console.log('up'); ${atChild} } });`,
  );
  const service = spawn(process.execPath, [parent], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => service.kill('SIGKILL'));
  await once(service.stdout, 'data');
  return { service, pid: Number(await readFile(join(folder, 'out/pid'), 'utf8')) };
}

it('a child goes when the service is killed, at its next turn', { timeout: 10_000 }, async (t) => {
  const { service, pid } = await start(t, { child: TURNING, helped: false });
  service.kill('SIGKILL');
  await untilGone(t, pid);
});

it('a busy child goes when the service is killed', { timeout: 10_000 }, async (t) => {
  if (!(await probeWalls()).leash) return t.skip('setpriv --pdeathsig does not work here');
  const { service, pid } = await start(t, { child: BUSY, helped: true });
  service.kill('SIGKILL');
  await untilGone(t, pid);
});

it('a busy child goes when the service exits', { timeout: 10_000 }, async (t) => {
  const { service, pid } = await start(t, {
    child: BUSY,
    helped: false,
    atChild: 'process.exit(0);',
  });
  if (service.exitCode === null) assert.deepEqual(await once(service, 'exit'), [0, null]);
  await untilGone(t, pid);
});
