import assert from 'node:assert/strict';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { makeBox } from '@cloche/pipeline/testing/models';
import { RESERVE_BYTES } from '../server/src/disk/disk-reserve.ts';
import { openServerDatabase } from '../server/testing/requests.ts';
import { fillDisk, fillRest, getFreeBytes, mountTmpfs } from '../server/testing/small-disk.ts';
import { ApiClient, SHOP_ORIGIN } from './api-client.ts';
import { assertNothingLeft } from './crash-fixtures.ts';
import { makeNoiseModel } from './noise-model.ts';
import { THOROUGH } from './rounds.ts';
import { ServiceProcess } from './service-process.ts';

const MIB = 1024 ** 2;
/** The unit of `Stats.blocks`, on every file system. */
const STAT_BLOCK_BYTES = 512;

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

/** Runs on a tmpfs; skipped if it cannot be mounted. */
describe('a disk that is full to the last byte', { concurrency: 2 }, () => {
  it('204: tokens are revoked, again and again, and after a restart', async (t) => {
    const disk = await mountTmpfs(t);
    if (disk === undefined) return;
    const { service, client, earlierDesignId } = await openServiceOn(t, disk);
    const tokens = await createTokens(client, 24);
    await fillDisk(disk, 0);
    for (const { id, token } of tokens.splice(0, 20)) {
      await fillUntilWritesFail(client, disk);
      await client.assertEmbedStatus(earlierDesignId, token, 200);
      await assertRevoked(client, id);
      await client.assertEmbedStatus(earlierDesignId, token, 401);
    }
    assert.ok((await getFreeBytes(disk)) < 64 * 1024, 'nothing else gets the reserve');

    await service.kill();
    await fillRest(disk);
    await service.start();
    await fillUntilWritesFail(client, disk);
    for (const { id, token } of tokens) {
      await assertRevoked(client, id);
      await client.assertEmbedStatus(earlierDesignId, token, 401);
    }
    await rm(join(disk, 'filler'));
    assert.equal((await createToken(client)).status, 201);
  });

  it('204: a design is deleted, its space is free at once, and designs with the same files are kept', async (t) => {
    const disk = await mountTmpfs(t);
    if (disk === undefined) return;
    const { service, client } = await openServiceOn(t, disk);
    const [model, shared] = [await makeNoiseModel(), await makeNoiseModel()];
    const [first, second, twin] = [
      await client.upload(model),
      await client.upload(shared),
      await client.upload(shared),
    ].map(({ body }) => body.id);
    await assertNoJobLeftovers(t, service);
    await fillDisk(disk, 0);
    await fillUntilWritesFail(client, disk);

    const before = await measureSpace(service.dataDirectory);
    await assertDeleted(client, `/v1/designs/${first}`);
    const after = await measureSpace(service.dataDirectory);
    const deletedBytes = before.blobBytes - after.blobBytes;
    assert.ok(deletedBytes > model.length, `${deletedBytes} bytes of files are deleted`);
    // The content of the WAL is moved to the database, which grows by up to all of its size: here by 0.3 MB.
    const grownBytes = after.databaseBytes - before.databaseBytes;
    const reservedBytes = after.reserveBytes - before.reserveBytes;
    assert.equal(after.freeBytes - before.freeBytes, deletedBytes - grownBytes - reservedBytes);
    assert.equal(after.reserveBytes, RESERVE_BYTES);
    await assertDeleted(client, `/v1/designs/${second}`);
    assert.ok((await client.getSourceFile(twin ?? '')).equals(shared));
    await client.getArtifact(await client.getViewerConfig(twin ?? ''));
    const { status, text } = await client.upload(makeBox({ name: 'new' }));
    assert.equal(status, 201, text);
  });
});

type Space = { freeBytes: number; blobBytes: number; databaseBytes: number; reserveBytes: number };

/**
 * Measures the free space of the disk, and the space that files of the service occupy. Twice, until both are the same: tasks of the
 * service, such as the one that counts uses of tokens, release a part of the reserve and occupy it again at any time.
 */
async function measureSpace(dataDirectory: string): Promise<Space> {
  for (let space = await readSpace(dataDirectory); ; ) {
    const again = await readSpace(dataDirectory);
    if (isDeepStrictEqual(space, again)) return space;
    space = again;
  }
}

async function readSpace(dataDirectory: string): Promise<Space> {
  const space = { freeBytes: 0, blobBytes: 0, databaseBytes: 0, reserveBytes: 0 };
  for (const path of await readdir(dataDirectory, { recursive: true })) {
    const { blocks } = await stat(join(dataDirectory, path));
    const bytes = blocks * STAT_BLOCK_BYTES;
    if (path.startsWith('blobs/')) space.blobBytes += bytes;
    else if (path.startsWith('cloche.sqlite')) space.databaseBytes += bytes;
    else if (path === 'reserve') space.reserveBytes += bytes;
  }
  return { ...space, freeBytes: await getFreeBytes(dataDirectory) };
}

async function createToken(client: ApiClient): Promise<Response> {
  const body = { capabilities: ['embed'], origins: [SHOP_ORIGIN], type: 'api', user: '~' };
  const headers = { 'content-type': 'application/json' };
  return client.request('/v1/tokens', { method: 'POST', headers, body: JSON.stringify(body) });
}

type NewToken = { id: string; token: string };

async function createTokens(client: ApiClient, count: number): Promise<NewToken[]> {
  const tokens: NewToken[] = [];
  while (tokens.length < count) {
    tokens.push((await (await createToken(client)).json()) as NewToken);
  }
  return tokens;
}

/** Uses the last byte of the disk, and all of the space that the database has. */
async function fillUntilWritesFail(client: ApiClient, disk: string): Promise<void> {
  await fillRest(disk);
  for (let count = 0; (await createToken(client)).status !== 507; count += 1) {
    assert.ok(count < 5_000, 'the disk is not full');
    await fillRest(disk);
  }
}

async function assertDeleted(client: ApiClient, path: string): Promise<void> {
  const response = await client.request(path, { method: 'DELETE' });
  assert.equal(response.status, 204, await response.text());
}

const assertRevoked = (client: ApiClient, id: string) => assertDeleted(client, `/v1/tokens/${id}`);

/** Starts the service on that disk, with one design. */
async function openServiceOn(t: TestContext, disk: string) {
  const service = await ServiceProcess.open(t, { CLOCHE_DATA: join(disk, 'data') });
  const client = await ApiClient.create(service);
  const { body } = await client.upload(makeBox({ name: 'earlier' }));
  assert.equal(body.status, 'ready');
  return { service, client, earlierDesignId: body.id };
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
