import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { countLoadedModules } from '../../testing/count-loaded-modules.ts';
import { openTestDatabase } from '../../testing/test-database.ts';
import { storeBlob } from '../blobs/blob-store.contract.ts';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';
import { createInitialUser } from './bootstrap-token.ts';
import { assertNoBlobsOfOtherDatabase, openBlobStore } from './open-blob-store.ts';

const S3_MODULES = /@aws-sdk|@smithy/;
const S3_SETTINGS = {
  endpoint: 'http://127.0.0.1:1',
  bucket: 'designs',
  prefix: '',
  region: 'us-east-1',
  accessKeyId: 'id',
  secretAccessKey: 'secret',
};

test('without a bucket, the service loads no module of the S3 client', async () => {
  assert.equal(await countLoadedModules('serve.ts', S3_MODULES), 0);
  assert.ok((await countLoadedModules('blobs/s3-blob-store.ts', S3_MODULES)) > 0);
});

test('the start fails if files of designs are in the data directory and a bucket is set', async (t) => {
  const directory = await openTemporaryDirectory(t);
  await storeBlob(await DiskBlobStore.open(join(directory, 'blobs')), 'hello');
  await assert.rejects(openBlobStore(directory, S3_SETTINGS), {
    name: 'ConfigError',
    message: /CLOCHE_S3_URL is set, but ".*blobs" contains files of designs/,
  });
});

test('the start fails if the shared folder is a file, and names the setting and the cause', async (t) => {
  const directory = await openTemporaryDirectory(t);
  const path = join(directory, 'file');
  await writeFile(path, '');
  await assert.rejects(openBlobStore(directory, undefined, { path, nodeId: 'node' }), {
    name: 'ConfigError',
    message:
      /^CLOCHE_FILES is ".*file", where a file cannot be read or written \(E(NOTDIR|EXIST), /,
  });
});

test('the start fails if the shared folder is the data directory, whose uploads are kept', async (t) => {
  const directory = await openTemporaryDirectory(t);
  const upload = join(directory, 'uploads', 'a'.repeat(32));
  await mkdir(upload, { recursive: true });
  await writeFile(join(upload, 'segment'), 'acknowledged');
  const link = join(await openTemporaryDirectory(t), 'link');
  await symlink(directory, link);
  for (const path of [directory, link, join(directory, 'uploads'), upload]) {
    await assert.rejects(openBlobStore(directory, undefined, { path, nodeId: 'node' }), {
      name: 'ConfigError',
      message: /^CLOCHE_FILES is ".*", a directory that this node uses for its own files/,
    });
    assert.deepEqual(await readdir(upload), ['segment']);
  }
});

test('a start deletes no file in a shared folder', async (t) => {
  const path = await openTemporaryDirectory(t);
  const uploads = join(path, 'uploads');
  await mkdir(uploads);
  for (const name of ['photo.jpg', 'a'.repeat(32), `${'a'.repeat(32)}.json`])
    await writeFile(join(uploads, name), 'of someone else');
  const before = await readdir(uploads);
  const store = await openBlobStore(await openTemporaryDirectory(t), undefined, {
    path,
    nodeId: 'node',
  });
  await store[Symbol.asyncDispose]();
  assert.deepEqual(await readdir(uploads), before);
});

test('a start deletes the files of uploads of an earlier version in the data directory, and nothing else', async (t) => {
  const directory = await openTemporaryDirectory(t);
  const uploads = join(directory, 'uploads');
  const upload = 'a'.repeat(32);
  const former = 'b'.repeat(32);
  await mkdir(join(uploads, upload), { recursive: true });
  for (const name of [former, `${former}.json`, `${former}.json.new`, 'notes.txt'])
    await writeFile(join(uploads, name), '{');
  await using _store = await openBlobStore(directory, undefined);
  assert.deepEqual((await readdir(uploads)).sort(), [upload, 'notes.txt']);
});

test('a start deletes uploads in the data directory if files are elsewhere, and nothing else', async (t) => {
  const directory = await openTemporaryDirectory(t);
  const uploads = join(directory, 'uploads');
  await mkdir(join(uploads, 'a'.repeat(32)), { recursive: true });
  await writeFile(join(uploads, `${'b'.repeat(32)}.json`), '{}');
  await writeFile(join(uploads, 'notes.txt'), 'of someone else');
  const path = await openTemporaryDirectory(t);
  const store = await openBlobStore(directory, undefined, { path, nodeId: 'node' });
  await store[Symbol.asyncDispose]();
  assert.deepEqual(await readdir(uploads), ['notes.txt']);
});

test('disposing the store closes the connections to the bucket', async (t) => {
  const xml = '<?xml version="1.0"?><Result></Result>';
  const server = createServer((request, response) => {
    request.resume();
    if (request.method === 'DELETE') response.writeHead(204).end();
    else response.writeHead(200).end(request.method === 'GET' ? xml : '');
  }).listen(0, '127.0.0.1');
  // The server itself closes none.
  server.keepAliveTimeout = 600_000;
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const countConnections = promisify(server.getConnections.bind(server));
  const { port } = server.address() as AddressInfo;
  const settings = { ...S3_SETTINGS, endpoint: `http://127.0.0.1:${port}` };
  const store = await openBlobStore(await openTemporaryDirectory(t), settings);
  assert.ok((await countConnections()) > 0);
  await store[Symbol.asyncDispose]();
  await waitUntil('no connection is open', async () => (await countConnections()) === 0);
});

test('the start fails if no server responds, and names the setting', async (t) => {
  await assert.rejects(openBlobStore(await openTemporaryDirectory(t), S3_SETTINGS), {
    name: 'ConfigError',
    message:
      /^No S3 server responds at http:\/\/127\.0\.0\.1:1 \(ECONNREFUSED\)\. Check CLOCHE_S3_URL/,
  });
});

test('the start fails if there are files of designs and the database is new: they would be deleted', async (t) => {
  const blobs = await DiskBlobStore.open(await openTemporaryDirectory(t));
  const database = await openTestDatabase(t);
  await assertNoBlobsOfOtherDatabase(database, blobs);
  await storeBlob(blobs, 'hello');
  await assert.rejects(assertNoBlobsOfOtherDatabase(database, blobs), {
    name: 'ConfigError',
    message: /^The database is new, but there are files of designs.*Set CLOCHE_DATABASE_URL/,
  });
  await createInitialUser(database, new Date(), async () => {});
  await assertNoBlobsOfOtherDatabase(database, blobs);
});
