import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { listOpenFiles } from '../../testing/open-files.ts';
import { FileStream } from './file-stream.ts';

const BYTES = randomBytes(1_000_000);

async function openFile(t: TestContext) {
  const directory = await openTemporaryDirectory(t);
  const path = join(directory, 'file');
  await writeFile(path, BYTES);
  return { path, directory };
}

/** Serves responses with `send`, and returns the URL. */
async function serve(t: TestContext, send: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_, response) => send(response)).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ranges = [
  undefined,
  { start: 0, end: BYTES.length - 1 },
  { start: 0, end: 0 },
  { start: 65_535, end: 65_536 },
  { start: 1, end: 700_000 },
  { start: 999_999, end: 5_000_000 },
];

test('sends the file, or a range of it, to responses and to other readers', async (t) => {
  const { path, directory } = await openFile(t);
  for (const range of ranges) {
    const expected = range === undefined ? BYTES : BYTES.subarray(range.start, range.end + 1);
    const url = await serve(t, async (response) =>
      (await FileStream.open(path, range)).pipe(response),
    );
    const response = await fetch(url);
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), expected);
    assert.deepEqual(await buffer(await FileStream.open(path, range)), expected);
    const other = (await FileStream.open(path, range)).pipe(new PassThrough());
    assert.deepEqual(await buffer(other), expected, 'a stream that keeps the chunks');
  }
  await waitUntil(
    'all files are closed',
    async () => (await listOpenFiles(directory)).length === 0,
  );
});

test('uses one buffer for a response', async (t) => {
  const { path } = await openFile(t);
  const buffers: unknown[] = [];
  const url = await serve(t, async (response) => {
    type Write = (chunk: Buffer, callback: () => void) => boolean;
    const write: Write = response.write.bind(response);
    const recordAndWrite: Write = (chunk, callback) => {
      buffers.push(chunk.buffer);
      return write(chunk, callback);
    };
    response.write = recordAndWrite as ServerResponse['write'];
    (await FileStream.open(path)).pipe(response);
  });
  await (await fetch(url)).arrayBuffer();
  assert.equal(buffers.length, Math.ceil(BYTES.length / 65_536));
  assert.equal(new Set(buffers).size, 1);
});

test('closes the file when it is destroyed during a read, and when reading fails', async (t) => {
  const { path, directory } = await openFile(t);
  const destroyed = await FileStream.open(path);
  destroyed.resume();
  destroyed.destroy();
  await once(destroyed, 'close');
  const unused = await FileStream.open(path);
  unused.destroy();
  await once(unused, 'close');
  await assert.rejects(buffer(await FileStream.open(directory)), { code: 'EISDIR' });
  await assert.rejects(FileStream.open(join(directory, 'missing')), { code: 'ENOENT' });
  assert.deepEqual(await listOpenFiles(directory), []);
});
