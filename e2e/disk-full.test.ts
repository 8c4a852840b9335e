import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, rmdir, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openServerDatabase } from '../server/testing/requests.ts';
import { ApiClient } from './api-client.ts';
import { assertNothingLeft } from './crash-fixtures.ts';
import { makeNoiseModel } from './noise-model.ts';
import { THOROUGH } from './rounds.ts';
import { ServiceProcess } from './service-process.ts';

const run = promisify(execFile);
const MIB = 1024 ** 2;
const DISK_SIZE_BYTES = 24 * MIB;

/** The room that is left once the upload is taken in, in sizes of the upload. */
const FREE_SPACE_CASES: [where: string, sizes: number][] = [
  ['before the worker has its copy', 0.5],
  ['while the worker writes', 1.1],
  ...(THOROUGH ? [0.05, 0.2, 1, 1.2, 1.3, 1.4, 1.5, 1.7, 2].map(toFreeSpaceCase) : []),
];

function toFreeSpaceCase(sizes: number): [string, number] {
  return [`${sizes} sizes after the upload`, sizes];
}

/** On a disk of its own, if this system lets us have one. What the routes say: processing.test.ts. */
describe('a disk that is full in the middle of a job', { concurrency: 3 }, () => {
  for (const [where, sizes] of FREE_SPACE_CASES) {
    it(`${where}: told, nothing lost, nothing stuck, and the room is given back`, async (t) => {
      const disk = await mountTmpfs(t);
      if (disk === undefined) return;
      const { service, owner, before } = await openServiceOn(t, disk);
      const model = await makeNoiseModel();
      const filler = await fillDisk(disk, model.length * (1 + sizes));
      const room = await getFreeBytes(disk);

      const { status, body } = await owner.upload(model);
      t.diagnostic(`${where}: ${status} ${body.code ?? body.status} ${body.problem?.code ?? ''}`);
      if (status === 507) assert.equal(body.code, 'server.storage-full');
      else {
        const settled = await owner.waitUntilSettled(body.id);
        // With more room than it takes there is nothing to tell.
        if (settled.status === 'failed') {
          assert.equal(settled.problem?.code, 'server.storage-full');
          await assertNoJobLeftovers(t, service);
          const taken = room - (await getFreeBytes(disk));
          assert.ok(taken < model.length + MIB / 2, `${taken} bytes are gone`);
        } else assert.ok(sizes > 1.1, 'the disk was not full');
        assert.ok((await owner.getSourceFile(body.id)).equals(model));
      }

      await rm(filler);
      await assertRecovered(owner, { model, id: status === 201 ? body.id : undefined, before });
    });
  }

  it('to the last byte: an upload is 507, and the job under way ends once there is room', async (t) => {
    const disk = await mountTmpfs(t);
    if (disk === undefined) return;
    const { service, owner, before } = await openServiceOn(t, disk);
    const model = await makeNoiseModel();
    const { body } = await owner.upload(model, { waitS: 0 });
    const filler = await fillDisk(disk, 0);
    const refused = await owner.upload(makeBox({ name: 'too much' }));
    assert.deepEqual([refused.status, refused.body.code], [507, 'server.storage-full']);
    await owner.getDesign(body.id);
    await rm(filler);
    const { status, problem } = await owner.waitUntilSettled(body.id);
    if (status === 'failed') assert.equal(problem?.code, 'server.storage-full');
    await assertNoJobLeftovers(t, service);
    await assertRecovered(owner, { model, id: body.id, before });
    const list = (await (await owner.request('/v1/designs')).json()) as { items: unknown[] };
    assert.equal(list.items.length, 2, 'of what was refused there is nothing');
  });
});

/** A small disk; undefined, and the test skipped, where that is not for us to have. */
async function mountTmpfs(t: TestContext): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'cloche-disk-'));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_SIZE_BYTES}`, 'tmpfs', folder]);
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
async function openServiceOn(t: TestContext, disk: string) {
  const service = await ServiceProcess.open(t, { CLOCHE_DATA: join(disk, 'data') });
  const owner = await ApiClient.create(service);
  const before = await owner.upload(makeBox({ name: 'before' }));
  assert.equal(before.body.status, 'ready');
  return { service, owner, before: before.body.id };
}

async function getFreeBytes(disk: string): Promise<number> {
  const { bavail, bsize } = await statfs(disk);
  return bavail * bsize;
}

/** Writes a file that leaves so much room. */
async function fillDisk(disk: string, leaveBytes: number): Promise<string> {
  const filler = join(disk, 'filler');
  const bytes = Math.max(0, (await getFreeBytes(disk)) - leaveBytes);
  // The service may be quicker to take the last of it.
  await writeFile(filler, Buffer.alloc(bytes)).catch(ignoreEnospc);
  return filler;
}

function ignoreEnospc(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOSPC') throw error;
}

/** The upload stays for its owner; of the attempts at it there is nothing. */
async function assertNoJobLeftovers(t: TestContext, service: ServiceProcess): Promise<void> {
  const database = openServerDatabase(t, { dataDirectory: service.dataDirectory });
  await assertNothingLeft({ service, database });
}

/** With room again all goes well: what was there, what failed, and what is new. */
async function assertRecovered(
  owner: ApiClient,
  { model, id, before }: { model: Buffer; id: string | undefined; before: string },
): Promise<void> {
  await owner.getArtifact(await owner.getViewerConfig(before));
  const path = id === undefined ? '/v1/designs' : `/v1/designs/${id}/model`;
  const { status, text, body } = await owner.upload(model, { path });
  assert.equal(body.status, 'ready', `${status} ${text}`);
  await owner.getArtifact(await owner.getViewerConfig(body.id));
}
