import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { skipWithout } from '../scripts/optional-programs.ts';
import { waitUntil } from '../scripts/wait-until.ts';
import { openServiceData } from '../server/src/commands/open-service-data.ts';
import { readConfig } from '../server/src/config.ts';
import { listReferencedBlobs } from '../server/src/installation/blob-list.ts';
import { openUsedBlobs } from '../server/src/installation/open-installation.ts';
import { runClocheServer } from '../server/testing/run-cloche-server.ts';
import { ApiClient } from './api-client.ts';
import { BackupLoad, deleteGarbage, type SharedSettings } from './backup-load.ts';
import { type SharedServers, startSharedServers } from './nodes-with-bucket.ts';
import { ServiceProcess } from './service-process.ts';

const BACKUPS = 2;
const TIMEOUT_MS = 400_000;

type Settings = Record<string, string>;

describe('backups of two nodes with one bucket', { skip: skipWithout('radosgw') }, () => {
  let servers: SharedServers;

  before(async () => {
    servers = await startSharedServers('backups');
  });
  after(() => servers?.[Symbol.asyncDispose]());

  const createSettings = async (prefix: string): Promise<SharedSettings> => ({
    ...(await servers.createSettings(prefix)),
    CLOCHE_GRANT_KEY: '0'.repeat(64),
  });

  it('have the file of every row while files are uploaded and deleted', async (t) => {
    const settings = await createSettings('load');
    const folder = await openTemporaryDirectory(t);
    const command = { ...settings, CLOCHE_DATA: join(folder, 'command') };
    const nodes = [await ServiceProcess.open(t, settings), await ServiceProcess.open(t, settings)];
    const readBootstrapToken = () => (nodes[0] as ServiceProcess).readBootstrapToken();
    const clients = await Promise.all(
      nodes.map(({ origin }) => ApiClient.create({ origin, readBootstrapToken })),
    );
    const load = new BackupLoad(clients, command);
    const running = load.run();
    // Its error is reported below.
    running.catch(() => load.stop());
    const backups: string[] = [];
    try {
      for (let index = 0; index < BACKUPS; index += 1) {
        const deleted = load.deletedFiles;
        await waitUntil('files to be deleted', () => load.deletedFiles > deleted || load.stopped, {
          timeoutMs: TIMEOUT_MS,
        });
        const path = join(folder, `backup-${index}`);
        await run(command, 'backup', path);
        await run(command, 'verify');
        backups.push(path);
      }
    } finally {
      load.stop();
      await running;
    }
    const [first = '', second = ''] = backups;
    const toFolder = { CLOCHE_DATA: join(folder, 'restored') };
    await run(toFolder, 'restore', first);
    await assertComplete(toFolder);
    const toBucket = { ...(await createSettings('restored')), CLOCHE_DATA: join(folder, 'node') };
    await run(toBucket, 'restore', second);
    await assertComplete(toBucket);
  });

  it('gc deletes one object that no row names, and nothing else', async (t) => {
    const settings = await createSettings('gc');
    const node = await ServiceProcess.open(t, settings);
    const api = await ApiClient.create(node);
    const { body } = await api.upload(makeBox());
    assert.equal((await api.waitUntilSettled(body.id)).status, 'ready');
    const command = { ...settings, CLOCHE_DATA: join(await openTemporaryDirectory(t), 'data') };
    const before = await listObjects(settings);
    assert.ok(before.length >= 2, 'the source file and the model');
    await using opened = await openUsedBlobs(readConfig(command));
    const bytes = Buffer.from('no row names it');
    {
      await using draft = await opened.blobs.createDraft(chunksOf(bytes), { maxBytes: 100 });
      await draft.commit();
    }
    const after = await listObjects(settings);
    const [unused = '', ...others] = after.filter((key) => !before.includes(key));
    assert.deepEqual(others, []);
    assert.ok(unused.includes(toSha256(bytes)), unused);
    const { stdout } = await run(command, 'gc', '--json');
    assert.equal(JSON.parse(stdout).count, 0, 'it is not a day old');
    assert.deepEqual(await listObjects(settings), after);
    assert.deepEqual(await deleteGarbage(command), { count: 1, bytes: bytes.length });
    assert.deepEqual(await listObjects(settings), before);
    await assertComplete(command);
  });
});

/** Asserts that an installation has each file that its rows name, with the right bytes. */
async function assertComplete(settings: Settings): Promise<void> {
  const config = readConfig(settings);
  await using data = await openServiceData(config);
  await using opened = await openUsedBlobs(config);
  const sizes = await listReferencedBlobs(data.database);
  assert.ok(sizes.size >= 2, `${sizes.size} files`);
  for (const [ref, sizeBytes] of sizes) {
    const bytes = (await opened.blobs.read(ref)) ?? assert.fail(`${ref} is missing`);
    assert.equal(bytes.length, sizeBytes, ref);
    assert.ok(ref.endsWith(toSha256(bytes)), `${ref} has other bytes`);
  }
}

async function listObjects(settings: Settings): Promise<string[]> {
  const { s3 } = readConfig({ ...settings, CLOCHE_DATA: '/' });
  const { bucket, prefix, endpoint, region, accessKeyId, secretAccessKey } = s3 ?? assert.fail();
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  const { Contents = [] } = await client.send(
    new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }),
  );
  client.destroy();
  return Contents.map(({ Key = '' }) => Key).sort();
}

async function run(settings: Settings, ...args: string[]) {
  const result = await runClocheServer(args, settings);
  assert.equal(result.status, 0, result.stderr);
  return result;
}

async function* chunksOf(bytes: Buffer) {
  yield bytes;
}

function toSha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
