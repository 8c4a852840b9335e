import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, rmdir, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { makeBox } from '../server/testing/models.ts';
import { openDatabase } from '../server/testing/requests.ts';
import { checkNothingLeft } from './crash-scene.ts';
import { makeNoise } from './noise.ts';
import { Owner } from './owner.ts';
import { RealService } from './real-service.ts';
import { THOROUGH } from './rounds.ts';

const run = promisify(execFile);
const MIB = 1024 ** 2;
const DISK_BYTES = 24 * MIB;

/** The room that is left once the upload is taken in, in sizes of the upload. */
const ROOM: [where: string, sizes: number][] = [
  ['before the worker has its copy', 0.5],
  ['while the worker writes', 1.1],
  ...(THOROUGH ? [0.05, 0.2, 1, 1.2, 1.3, 1.4, 1.5, 1.7, 2].map(somewhere) : []),
];

function somewhere(sizes: number): [string, number] {
  return [`${sizes} sizes after the upload`, sizes];
}

/** On a disk of its own, if this system lets us have one. What the routes say: processing.test.ts. */
describe('a disk that is full in the middle of a job', { concurrency: 3 }, () => {
  for (const [where, sizes] of ROOM) {
    it(`${where}: told, nothing lost, nothing stuck, and the room is given back`, async (t) => {
      const disk = await mountDisk(t);
      if (disk === undefined) return;
      const { service, owner, before } = await openOn(t, disk);
      const model = await makeNoise();
      const filler = await fillUp(disk, model.length * (1 + sizes));
      const room = await roomOn(disk);

      const { status, view } = await owner.send(model);
      t.diagnostic(`${where}: ${status} ${view.code ?? view.status} ${view.problem?.code ?? ''}`);
      if (status === 507) assert.equal(view.code, 'server.storage-full');
      else {
        const settled = await owner.settled(view.id);
        // With more room than it takes there is nothing to tell.
        if (settled.status === 'failed') {
          assert.equal(settled.problem?.code, 'server.storage-full');
          await checkLeft(t, service);
          const taken = room - (await roomOn(disk));
          assert.ok(taken < model.length + MIB / 2, `${taken} bytes are gone`);
        } else assert.ok(sizes > 1.1, 'the disk was not full');
        assert.ok((await owner.source(view.id)).equals(model));
      }

      await rm(filler);
      await checkRecovered(owner, { model, id: status === 201 ? view.id : undefined, before });
    });
  }

  it('to the last byte: an upload is 507, and the job under way ends once there is room', async (t) => {
    const disk = await mountDisk(t);
    if (disk === undefined) return;
    const { service, owner, before } = await openOn(t, disk);
    const model = await makeNoise();
    const { view } = await owner.send(model, { waitS: 0 });
    const filler = await fillUp(disk, 0);
    const refused = await owner.send(makeBox({ name: 'too much' }));
    assert.deepEqual([refused.status, refused.view.code], [507, 'server.storage-full']);
    await owner.read(view.id);
    await rm(filler);
    const { status, problem } = await owner.settled(view.id);
    if (status === 'failed') assert.equal(problem?.code, 'server.storage-full');
    await checkLeft(t, service);
    await checkRecovered(owner, { model, id: view.id, before });
    const list = (await (await owner.ask('/v1/designs')).json()) as { items: unknown[] };
    assert.equal(list.items.length, 2, 'of what was refused there is nothing');
  });
});

/** A small disk; undefined, and the test skipped, where that is not for us to have. */
async function mountDisk(t: TestContext): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'cloche-disk-'));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', folder]);
  } catch (error) {
    t.skip(
      `no disk can be mounted here: ${String((error as Error).message)
        .split('\n')
        .at(-2)}`,
    );
    await rmdir(folder);
    return undefined;
  }
  // Even if something still works there.
  t.after(() => run('umount', ['-l', folder]).then(() => rmdir(folder)));
  return folder;
}

/** The service on that disk, with a design from before there was trouble. */
async function openOn(t: TestContext, disk: string) {
  const service = await RealService.open(t, { CLOCHE_DATA: join(disk, 'data') });
  const owner = await Owner.of(service);
  const before = await owner.send(makeBox({ name: 'before' }));
  assert.equal(before.view.status, 'ready');
  return { service, owner, before: before.view.id };
}

async function roomOn(disk: string): Promise<number> {
  const { bavail, bsize } = await statfs(disk);
  return bavail * bsize;
}

/** Writes a file that leaves so much room. */
async function fillUp(disk: string, leaveBytes: number): Promise<string> {
  const filler = join(disk, 'filler');
  const bytes = Math.max(0, (await roomOn(disk)) - leaveBytes);
  // The service may be quicker to take the last of it.
  await writeFile(filler, Buffer.alloc(bytes)).catch(ignoreFull);
  return filler;
}

function ignoreFull(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOSPC') throw error;
}

/** The upload stays for its owner; of the attempts at it there is nothing. */
async function checkLeft(t: TestContext, service: RealService): Promise<void> {
  const database = openDatabase(t, { folder: service.dataFolder });
  await checkNothingLeft({ service, database });
}

/** With room again all goes well: what was there, what failed, and what is new. */
async function checkRecovered(
  owner: Owner,
  { model, id, before }: { model: Buffer; id: string | undefined; before: string },
): Promise<void> {
  await owner.artifact(await owner.framed(before));
  const path = id === undefined ? '/v1/designs' : `/v1/designs/${id}/model`;
  const { status, text, view } = await owner.send(model, { path });
  assert.equal(view.status, 'ready', `${status} ${text}`);
  await owner.artifact(await owner.framed(view.id));
}
