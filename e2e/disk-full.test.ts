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

const execFileAsync = promisify(execFile);
const MIB = 1024 ** 2;
const DISK_SIZE_BYTES = 24 * MIB;

/** Free space after the upload was received, as a multiple of its size. */
const FREE_SPACE_CASES: [description: string, factor: number][] = [
  ['before the worker has copied the file', 0.5],
  ['while the worker writes', 1.1],
  ...(THOROUGH ? [0.05, 0.2, 1, 1.2, 1.3, 1.4, 1.5, 1.7, 2].map(toFreeSpaceCase) : []),
];

function toFreeSpaceCase(factor: number): [string, number] {
  return [`with ${factor} × the upload free`, factor];
}

/** Runs on a tmpfs; skipped if it cannot be mounted. */
describe('the disk fills up during a job', { concurrency: 3 }, () => {
  for (const [description, factor] of FREE_SPACE_CASES) {
    it(`${description}: it is reported, no design is lost or stuck, and the space is freed`, async (t) => {
      const disk = await mountTmpfs(t);
      if (disk === undefined) return;
      const { service, client, earlierDesignId } = await openServiceOn(t, disk);
      const model = await makeNoiseModel();
      const filler = await fillDisk(disk, model.length * (1 + factor));
      const freeBytes = await getFreeBytes(disk);

      const { status, body } = await client.upload(model);
      t.diagnostic(
        `${description}: ${status} ${body.code ?? body.status} ${body.problem?.code ?? ''}`,
      );
      if (status === 507) assert.equal(body.code, 'server.storage-full');
      else {
        const settled = await client.waitUntilSettled(body.id);
        // With enough free space the job succeeds.
        if (settled.status === 'failed') {
          assert.equal(settled.problem?.code, 'server.storage-full');
          await assertNoJobLeftovers(t, service);
          const usedBytes = freeBytes - (await getFreeBytes(disk));
          assert.ok(usedBytes < model.length + MIB / 2, `${usedBytes} bytes are still in use`);
        } else assert.ok(factor > 1.1, 'the disk was not full');
        assert.ok((await client.getSourceFile(body.id)).equals(model));
      }

      await rm(filler);
      await assertRecovered(client, {
        model,
        id: status === 201 ? body.id : undefined,
        earlierDesignId,
      });
    });
  }

  it('507: an upload to a full disk is rejected; the running job ends when space is free again', async (t) => {
    const disk = await mountTmpfs(t);
    if (disk === undefined) return;
    const { service, client, earlierDesignId } = await openServiceOn(t, disk);
    const model = await makeNoiseModel();
    const { body } = await client.upload(model, { waitS: 0 });
    const filler = await fillDisk(disk, 0);
    const rejected = await client.upload(makeBox({ name: 'too much' }));
    assert.deepEqual([rejected.status, rejected.body.code], [507, 'server.storage-full']);
    await client.getDesign(body.id);
    await rm(filler);
    const { status, problem } = await client.waitUntilSettled(body.id);
    if (status === 'failed') assert.equal(problem?.code, 'server.storage-full');
    await assertNoJobLeftovers(t, service);
    await assertRecovered(client, { model, id: body.id, earlierDesignId });
    const list = (await (await client.request('/v1/designs')).json()) as { items: unknown[] };
    assert.equal(list.items.length, 2, 'the rejected upload has no design');
  });
});

/** Mounts a small disk; returns undefined and skips the test if that is not permitted. */
async function mountTmpfs(t: TestContext): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'cloche-disk-'));
  try {
    await execFileAsync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_SIZE_BYTES}`, 'tmpfs', folder]);
  } catch (error) {
    t.skip(
      `a tmpfs cannot be mounted: ${String((error as Error).message)
        .split('\n')
        .at(-2)}`,
    );
    await rmdir(folder);
    return undefined;
  }
  // Lazy: a process may still use it.
  t.after(() => execFileAsync('umount', ['-l', folder]).then(() => rmdir(folder)));
  return folder;
}

/** Starts the service on that disk, with one design. */
async function openServiceOn(t: TestContext, disk: string) {
  const service = await ServiceProcess.open(t, { CLOCHE_DATA: join(disk, 'data') });
  const client = await ApiClient.create(service);
  const { body } = await client.upload(makeBox({ name: 'earlier' }));
  assert.equal(body.status, 'ready');
  return { service, client, earlierDesignId: body.id };
}

async function getFreeBytes(disk: string): Promise<number> {
  const { bavail, bsize } = await statfs(disk);
  return bavail * bsize;
}

/** Writes a file that leaves that much free space. */
async function fillDisk(disk: string, freeBytes: number): Promise<string> {
  const filler = join(disk, 'filler');
  const bytes = Math.max(0, (await getFreeBytes(disk)) - freeBytes);
  // The service may use the last of the space first.
  await writeFile(filler, Buffer.alloc(bytes)).catch(ignoreEnospc);
  return filler;
}

function ignoreEnospc(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOSPC') throw error;
}

/** Asserts that the failed attempts left nothing behind. */
async function assertNoJobLeftovers(t: TestContext, service: ServiceProcess): Promise<void> {
  const database = openServerDatabase(t, { dataDirectory: service.dataDirectory });
  await assertNothingLeft({ service, database });
}

/** Asserts that earlier designs, failed designs and new designs work again. */
async function assertRecovered(
  client: ApiClient,
  {
    model,
    id,
    earlierDesignId,
  }: { model: Buffer; id: string | undefined; earlierDesignId: string },
): Promise<void> {
  await client.getArtifact(await client.getViewerConfig(earlierDesignId));
  const path = id === undefined ? '/v1/designs' : `/v1/designs/${id}/model`;
  const { status, text, body } = await client.upload(model, { path });
  assert.equal(body.status, 'ready', `${status} ${text}`);
  await client.getArtifact(await client.getViewerConfig(body.id));
}
