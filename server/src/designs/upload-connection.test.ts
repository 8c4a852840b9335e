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
import { formatRequestHead, RawConnection } from '../../testing/raw-connection.ts';
import { sendRequest } from '../../testing/requests.ts';

const MB = 1024 * 1024;
const GLB = 'model/gltf-binary';

const encodeChunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

async function listDrafts({ dataDirectory }: TestServer): Promise<string[]> {
  return readdir(join(dataDirectory, 'blobs', 'drafts'));
}

async function waitUntil(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(5);
}

/** Checks that the server responds, and that no design was created. */
async function assertHasNoDesigns(service: TestServer): Promise<void> {
  const response = await sendRequest(service, 'GET', '/v1/designs', undefined, {
    host: new URL(service.origin).host,
  });
  assert.equal(response.statusCode, 200);
  assert.deepEqual(response.json().items, []);
}

test('413: a Content-Length over the limit is refused before the body is read', async (t) => {
  const service = await openTestServer(t, { listen: true, maxUploadBytes: MB });
  const connection = await RawConnection.open(t, service);
  connection.write(
    formatRequestHead(service, 'POST /v1/designs', {
      'Content-Type': GLB,
      'Content-Length': 500 * MB,
    }),
  );
  const response = await connection.readResponse();
  assert.equal(response?.status, 413);
  assert.equal(JSON.parse(response?.body ?? '').code, 'design.too-large');
  assert.deepEqual(await listDrafts(service), []);
});

for (const type of [GLB, 'multipart/form-data; boundary=boundary']) {
  test(`413: a client that sends far too much as ${type} can still read the response`, async (t) => {
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
    const responded = new Promise<IncomingMessage>((resolve, reject) => {
      client.once('response', resolve);
      client.once('error', reject);
    });
    client.write(
      '--boundary\r\nContent-Disposition: form-data; name="file"; filename="a.glb"\r\n\r\n',
    );
    // The client sends everything before it reads: 24 times the limit, more than any buffer holds.
    const chunk = Buffer.alloc(MB, 'x');
    for (let sent = 0; sent < 24; sent += 1) {
      await new Promise((resolve, reject) =>
        client.write(chunk, (error) => (error ? reject(error) : resolve(undefined))),
      );
    }
    client.end('\r\n--boundary--\r\n');
    const response = await responded;
    assert.equal(response.statusCode, 413);
    assert.equal(JSON.parse(await text(response)).code, 'design.too-large');
    await waitUntil(async () => (await listDrafts(service)).length === 0);
    await assertHasNoDesigns(service);
  });
}

test('201: a slow upload is accepted while data arrives', async (t) => {
  const service = await openTestServer(t, { listen: true, timeouts: { uploadStallMs: 2000 } });
  const model = makeBox();
  const connection = await RawConnection.open(t, service);
  connection.write(
    formatRequestHead(service, 'POST /v1/designs', {
      'Content-Type': GLB,
      'Transfer-Encoding': 'chunked',
    }),
  );
  for (let offset = 0; offset < model.length; offset += 200) {
    connection.write(encodeChunk(model.subarray(offset, offset + 200)));
    await sleep(2);
  }
  connection.write('0\r\n\r\n');
  const response = await connection.readResponse();
  assert.equal(response?.status, 201);
  const { id } = JSON.parse(response?.body ?? '');
  const download = await sendRequest(service, 'GET', `/v1/designs/${id}/model`);
  assert.deepEqual(download.rawPayload, model);
});

const FILE_PART_HEAD =
  '--boundary\r\nContent-Disposition: form-data; name="file"; filename="a.glb"\r\n\r\n';

for (const [type, start] of [
  [GLB, 'glTF'],
  ['multipart/form-data; boundary=boundary', `${FILE_PART_HEAD}glTF`],
] as const) {
  const headers = { 'Content-Type': type, 'Content-Length': MB };

  test(`408: a body of ${type} that stalls`, async (t) => {
    const service = await openTestServer(t, { listen: true, timeouts: { uploadStallMs: 60 } });
    const connection = await RawConnection.open(t, service);
    connection.write(formatRequestHead(service, 'POST /v1/designs', headers)).write(start);
    const response = await connection.readResponse();
    assert.equal(response?.status, 408);
    assert.equal(JSON.parse(response?.body ?? '').code, 'request.timeout');
    assert.match(response?.body ?? '', /Nothing was stored/);
    await waitUntil(async () => (await listDrafts(service)).length === 0);
    await assertHasNoDesigns(service);
  });

  test(`408: a body of ${type} that is too slow on average`, async (t) => {
    const service = await openTestServer(t, { listen: true, timeouts: { uploadStallMs: 300 } });
    const connection = await RawConnection.open(t, service);
    connection.write(formatRequestHead(service, 'POST /v1/designs', headers)).write(start);
    const interval = setInterval(() => connection.write('x'), 20);
    t.after(() => clearInterval(interval));
    const response = await connection.readResponse();
    assert.equal(response?.status, 408);
    assert.match(response?.body ?? '', /less than 1024 bytes per second/);
    await waitUntil(async () => (await listDrafts(service)).length === 0);
  });

  test(`a body of ${type} that is interrupted leaves no draft and no error in the log`, async (t) => {
    const service = await openTestServer(t, { listen: true });
    const connection = await RawConnection.open(t, service);
    connection
      .write(formatRequestHead(service, 'POST /v1/designs', headers))
      .write(start)
      .write(Buffer.alloc(300_000));
    await waitUntil(async () => (await listDrafts(service)).length === 1);
    connection.socket.destroy();
    await waitUntil(async () => (await listDrafts(service)).length === 0);
    await assertHasNoDesigns(service);
    assert.ok(
      !service.logLines.join('').includes('"level":"error"'),
      'a disconnected client is not an error of the server',
    );
  });
}

const FORM = 'multipart/form-data; boundary=boundary';
const formField = (name: string, value: string) =>
  `--boundary\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}`;

for (const [position, start] of [
  ['before its first part', ''],
  ['within a field', formField('name', 'Oak')],
  ['after its file', `${FILE_PART_HEAD}glTF\r\n--boundary\r\n`],
  ['after its last part', `${FILE_PART_HEAD}glTF\r\n--boundary--\r\n`],
]) {
  test(`408: a form that stalls ${position}`, { timeout: 120_000 }, async (t) => {
    const service = await openTestServer(t, { listen: true, timeouts: { uploadStallMs: 60 } });
    const connection = await RawConnection.open(t, service);
    const headers = { 'Content-Type': FORM, 'Content-Length': MB };
    const response = await connection
      .write(formatRequestHead(service, 'POST /v1/designs', headers) + start)
      .readResponse();
    assert.equal(response?.status, 408);
    assert.equal(JSON.parse(response?.body ?? '').code, 'request.timeout');
    assert.deepEqual(await listDrafts(service), []);
  });
}

test('400: a form with an unknown part; the rest of the body is still read', {
  timeout: 120_000,
}, async (t) => {
  const service = await openTestServer(t, { listen: true });
  const connection = await RawConnection.open(t, service);
  const form = `${formField('color', 'oak')}\r\n${FILE_PART_HEAD}${'x'.repeat(6 * MB)}\r\n--boundary--\r\n`;
  const headers = { 'Content-Type': FORM, 'Content-Length': form.length };
  connection.write(formatRequestHead(service, 'POST /v1/designs', headers));
  const sent = new Promise<unknown>((resolve) => connection.socket.write(form, resolve));
  assert.equal((await connection.readResponse())?.status, 400);
  assert.ok(!(await sent), 'the whole body is read');
});

test('a large upload is not buffered in memory', async (t) => {
  const service = await openTestServer(t, { listen: true, maxUploadBytes: 512 * MB });
  const connection = await RawConnection.open(t, service);
  connection.write(
    formatRequestHead(service, 'POST /v1/designs', {
      'Content-Type': GLB,
      'Content-Length': 64 * MB,
    }),
  );
  const chunk = Buffer.alloc(MB, 'x');
  const before = measureBufferBytes();
  let maxBytes = 0;
  for (let sent = 0; sent < 64; sent += 1) {
    await new Promise((resolve) => connection.socket.write(chunk, resolve));
    if (sent % 8 === 7) maxBytes = Math.max(maxBytes, measureBufferBytes() - before);
  }
  const response = await connection.readResponse();
  assert.equal(response?.status, 422);
  assert.ok(maxBytes < 16 * MB, `${maxBytes} bytes in buffers`);
});

/** Collects garbage and returns the bytes in live buffers. */
function measureBufferBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().arrayBuffers;
}
