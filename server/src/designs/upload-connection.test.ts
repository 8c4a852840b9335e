import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { formatRequestHead, RawConnection, sendRequest } from '../../testing/requests.ts';

const MB = 1024 * 1024;
const GLB = 'model/gltf-binary';

const encodeChunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

async function listDrafts({ dataDirectory }: TestServer): Promise<string[]> {
  return readdir(join(dataDirectory, 'blobs', 'drafts'));
}

/** Waits for something that must come about by itself. */
async function waitUntil(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(5);
}

async function assertStillServes(service: TestServer): Promise<void> {
  const answer = await sendRequest(service, 'GET', '/v1/designs', undefined, {
    host: new URL(service.origin).host,
  });
  assert.equal(answer.statusCode, 200);
  assert.deepEqual(answer.json().items, []);
}

test('413: an announced size is refused before a byte is read', async (t) => {
  const service = await openTestServer(t, { listen: true, maxUploadBytes: MB });
  const line = await RawConnection.open(t, service);
  line.write(
    formatRequestHead(service, 'POST /v1/designs', {
      'Content-Type': GLB,
      'Content-Length': 500 * MB,
    }),
  );
  const answer = await line.readResponse();
  assert.equal(answer?.status, 413);
  assert.equal(JSON.parse(answer?.body ?? '').code, 'design.too-large');
  assert.deepEqual(await listDrafts(service), []);
});

for (const type of [GLB, 'multipart/form-data; boundary=seam']) {
  test(`413: a client that sends far too much as ${type} still reads the answer`, async (t) => {
    const service = await openTestServer(t, { listen: true, maxUploadBytes: MB });
    const client = request({
      host: '127.0.0.1',
      port: new URL(service.origin).port,
      method: 'POST',
      path: '/v1/designs',
      headers: {
        host: new URL(service.origin).host,
        authorization: `Bearer ${service.token}`,
        'content-type': type,
      },
    });
    t.after(() => client.destroy());
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      client.once('response', resolve);
      client.once('error', reject);
    });
    client.write('--seam\r\nContent-Disposition: form-data; name="file"; filename="a.glb"\r\n\r\n');
    // A client that sends all before it reads: 24 times what is allowed, far past any buffer.
    const piece = Buffer.alloc(MB, 'x');
    for (let sent = 0; sent < 24; sent += 1) {
      await new Promise((resolve, reject) =>
        client.write(piece, (error) => (error ? reject(error) : resolve(undefined))),
      );
    }
    client.end('\r\n--seam--\r\n');
    const answer = await answered;
    assert.equal(answer.statusCode, 413);
    assert.equal(JSON.parse(await text(answer)).code, 'design.too-large');
    await waitUntil(async () => (await listDrafts(service)).length === 0);
    await assertStillServes(service);
  });
}

test('201: bytes that drip are taken, as long as they come', async (t) => {
  const service = await openTestServer(t, { listen: true, timeouts: { uploadStallMs: 2000 } });
  const box = makeBox();
  const line = await RawConnection.open(t, service);
  line.write(
    formatRequestHead(service, 'POST /v1/designs', {
      'Content-Type': GLB,
      'Transfer-Encoding': 'chunked',
    }),
  );
  for (let at = 0; at < box.length; at += 200) {
    line.write(encodeChunk(box.subarray(at, at + 200)));
    await sleep(2);
  }
  line.write('0\r\n\r\n');
  const answer = await line.readResponse();
  assert.equal(answer?.status, 201);
  const { id } = JSON.parse(answer?.body ?? '');
  const model = await sendRequest(service, 'GET', `/v1/designs/${id}/model`);
  assert.deepEqual(model.rawPayload, box);
});

const FILE_PART_HEAD =
  '--seam\r\nContent-Disposition: form-data; name="file"; filename="a.glb"\r\n\r\n';

for (const [type, start] of [
  [GLB, 'glTF'],
  ['multipart/form-data; boundary=seam', `${FILE_PART_HEAD}glTF`],
] as const) {
  const sizes = { 'Content-Type': type, 'Content-Length': MB };

  test(`408: a ${type} that stalls is given up`, async (t) => {
    const service = await openTestServer(t, { listen: true, timeouts: { uploadStallMs: 60 } });
    const line = await RawConnection.open(t, service);
    line.write(formatRequestHead(service, 'POST /v1/designs', sizes)).write(start);
    const answer = await line.readResponse();
    assert.equal(answer?.status, 408);
    assert.equal(JSON.parse(answer?.body ?? '').code, 'request.timeout');
    assert.match(answer?.body ?? '', /Nothing was kept/);
    await waitUntil(async () => (await listDrafts(service)).length === 0);
    await assertStillServes(service);
  });

  test(`a client that hangs up within a ${type} leaves nothing`, async (t) => {
    const service = await openTestServer(t, { listen: true });
    const line = await RawConnection.open(t, service);
    line
      .write(formatRequestHead(service, 'POST /v1/designs', sizes))
      .write(start)
      .write(Buffer.alloc(300_000));
    await waitUntil(async () => (await listDrafts(service)).length === 1);
    line.socket.destroy();
    await waitUntil(async () => (await listDrafts(service)).length === 0);
    await assertStillServes(service);
    assert.ok(!service.logLines.join('').includes('"level":"error"'), 'that is not our failure');
  });
}

const FORM = 'multipart/form-data; boundary=seam';
const formField = (name: string, value: string) =>
  `--seam\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}`;

for (const [where, start] of [
  ['before its first part', ''],
  ['within a field', formField('name', 'Oak')],
  ['behind its file', `${FILE_PART_HEAD}glTF\r\n--seam\r\n`],
  ['behind its last part', `${FILE_PART_HEAD}glTF\r\n--seam--\r\n`],
]) {
  test(`408: a form that stalls ${where} is given up`, { timeout: 30_000 }, async (t) => {
    const service = await openTestServer(t, { listen: true, timeouts: { uploadStallMs: 60 } });
    const line = await RawConnection.open(t, service);
    const sizes = { 'Content-Type': FORM, 'Content-Length': MB };
    const answer = await line
      .write(formatRequestHead(service, 'POST /v1/designs', sizes) + start)
      .readResponse();
    assert.equal(answer?.status, 408);
    assert.equal(JSON.parse(answer?.body ?? '').code, 'request.timeout');
    assert.deepEqual(await listDrafts(service), []);
  });
}

test('400: a part that is not known is refused, and what follows it is read', {
  timeout: 30_000,
}, async (t) => {
  const service = await openTestServer(t, { listen: true });
  const line = await RawConnection.open(t, service);
  const form = `${formField('colour', 'oak')}\r\n${FILE_PART_HEAD}${'x'.repeat(6 * MB)}\r\n--seam--\r\n`;
  const sizes = { 'Content-Type': FORM, 'Content-Length': form.length };
  line.write(formatRequestHead(service, 'POST /v1/designs', sizes));
  const sent = new Promise<unknown>((resolve) => line.socket.write(form, resolve));
  assert.equal((await line.readResponse())?.status, 400);
  assert.ok(!(await sent), 'all of it is taken');
});

test('a large upload does not gather in memory', async (t) => {
  const service = await openTestServer(t, { listen: true, maxUploadBytes: 512 * MB });
  const line = await RawConnection.open(t, service);
  line.write(
    formatRequestHead(service, 'POST /v1/designs', {
      'Content-Type': GLB,
      'Content-Length': 64 * MB,
    }),
  );
  const piece = Buffer.alloc(MB, 'x');
  const before = measureBufferBytes();
  let most = 0;
  for (let sent = 0; sent < 64; sent += 1) {
    await new Promise((resolve) => line.socket.write(piece, resolve));
    if (sent % 8 === 7) most = Math.max(most, measureBufferBytes() - before);
  }
  const answer = await line.readResponse();
  assert.equal(answer?.status, 422);
  assert.ok(most < 16 * MB, `${most} bytes held`);
});

/** Bytes in buffers that something still holds: without what is only not collected yet. */
function measureBufferBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().arrayBuffers;
}
