import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { hangingProcessor } from '../../testing/problem-fixture.ts';
import {
  beginDesignUpload,
  formatRequestHead,
  RawConnection,
} from '../../testing/raw-connection.ts';
import {
  GLB_HEADERS,
  issueToken,
  sendRequest,
  type TestClient,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';

const MODEL = makeBox();
const SIZE = MODEL.length;
const WRITERS = 16;

const post = (client: TestClient, bytes: Buffer = MODEL, headers: Record<string, string> = {}) =>
  sendRequest(client, 'POST', '/v1/designs', bytes, { ...GLB_HEADERS, ...headers });
const put = (client: TestClient, id: string) =>
  sendRequest(client, 'PUT', `/v1/designs/${id}/model`, MODEL, GLB_HEADERS);
const readUsage = async (client: TestClient) =>
  (await sendRequest(client, 'GET', '/v1/usage')).json();

type Response = Awaited<ReturnType<typeof post>>;

function assertRefused(response: Response, reason: string, detail: RegExp): void {
  assert.equal(response.statusCode, 403, response.body);
  const problem = response.json();
  assert.deepEqual([problem.code, problem.reason], ['upload.quota', reason]);
  assert.match(problem.detail, detail);
}

const beginUpload = (
  t: TestContext,
  client: TestServer,
  { route, ...headers }: Record<string, string> = {},
) => beginDesignUpload(t, client, SIZE, route, headers);

/** Uploads the model without a Content-Length. */
async function postInChunks(
  t: TestContext,
  client: TestServer,
  headers: Record<string, string> = {},
) {
  const connection = await RawConnection.open(t, client);
  const allHeaders = { ...GLB_HEADERS, 'transfer-encoding': 'chunked', ...headers };
  connection.write(formatRequestHead(client, 'POST /v1/designs', allHeaders));
  connection
    .write(`${SIZE.toString(16)}\r\n`)
    .write(MODEL)
    .write('\r\n0\r\n\r\n');
  return connection.readResponse();
}

const findDesign = async (client: TestClient) =>
  (await sendRequest(client, 'GET', '/v1/designs')).json().items[0].id;

const waitForReserved = (client: TestClient, bytes: number) =>
  waitUntil(
    `${bytes} bytes are reserved`,
    async () => (await readUsage(client)).bytes.reserved === bytes,
  );

/** Adds a second user and returns a client with its token. */
async function addUser(t: TestContext, service: TestServer): Promise<TestServer> {
  await connectToServerDatabase(t, service).exec(
    "INSERT INTO \"user\" (id, name, created_at) VALUES ('usr_anna', 'anna', '2026-01-01T00:00:00.000Z')",
  );
  const request = { capabilities: ['read', 'write'], origins: [], user: 'anna' };
  return { ...service, token: (await issueToken(service, request)).token };
}

test('a file is accepted exactly at the quota of bytes and refused one byte over it', async (t) => {
  const exact = await openTestServer(t, { quotas: { bytes: 2 * SIZE, designs: 0 } });
  const tooSmall = await openTestServer(t, { quotas: { bytes: 2 * SIZE - 1, designs: 0 } });
  for (const service of [exact, tooSmall]) assert.equal((await post(service)).statusCode, 201);
  assert.equal((await post(exact)).statusCode, 201);
  const { bytes, designs } = await readUsage(exact);
  assert.deepEqual(bytes, { stored: 2 * SIZE, reserved: 0, limit: 2 * SIZE });
  assert.deepEqual(designs, { stored: 2, reserved: 0, limit: null });
  const detail = new RegExp(
    `use ${SIZE} of ${2 * SIZE - 1} bytes, and this upload needs ${SIZE}\\. Delete designs or revisions`,
  );
  assertRefused(await post(tooSmall), 'bytes', detail);
});

test('a form is accepted exactly at the quota and refused one byte over it', async (t) => {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(MODEL)]), 'a.glb');
  const encoded = new Response(form);
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' };
  const body = Buffer.from(await encoded.arrayBuffer());
  const exact = await openTestServer(t, { quotas: { bytes: SIZE, designs: 0 } });
  assert.equal((await post(exact, body, headers)).statusCode, 201);
  const tooSmall = await openTestServer(t, { quotas: { bytes: SIZE - 1, designs: 0 } });
  const response = await post(tooSmall, body, headers);
  assertRefused(response, 'bytes', new RegExp(`use 0 of ${SIZE - 1} .* more than ${SIZE - 1}\\.`));
  assert.equal((await readUsage(tooSmall)).bytes.reserved, 0);
});

test('a body without Content-Length may use what is left, and no more', async (t) => {
  const service = await openTestServer(t, {
    listen: true,
    quotas: { bytes: 2 * SIZE - 1, designs: 0 },
  });
  assert.equal((await postInChunks(t, service))?.status, 201);
  const second = await postInChunks(t, service);
  assert.equal(second?.status, 403);
  const { code, detail } = JSON.parse(second.body);
  assert.equal(code, 'upload.quota');
  assert.match(detail, new RegExp(`use ${SIZE} of .* more than ${SIZE - 1}\\.`));
});

test('a file over the size limit of the service is too large, whatever the quota', async (t) => {
  const service = await openTestServer(t, {
    maxUploadBytes: 100,
    quotas: { bytes: 50, designs: 1 },
  });
  assert.equal((await post(service)).json().code, 'design.too-large');
});

for (const [name, quotas] of [
  ['bytes', { bytes: 5 * SIZE - 1, designs: 0 }],
  ['designs', { bytes: 0, designs: 4 }],
] as const) {
  test(`of 16 concurrent uploads, the 4 within the quota of ${name} are accepted`, async (t) => {
    const service = await openTestServer(t, { listen: true, quotas });
    const connections = await Promise.all(
      Array.from({ length: WRITERS }, () => beginUpload(t, service)),
    );
    const waiting = new Set(connections);
    const responses = connections.map(async (connection) => {
      const response = await connection.readResponse();
      waiting.delete(connection);
      return response;
    });
    // Refused before their bodies are sent.
    await waitUntil('all others are refused', async () => waiting.size <= 4);
    assert.equal((await readUsage(service))[name].reserved, name === 'bytes' ? 4 * SIZE : 4);
    for (const connection of waiting) connection.write(MODEL);
    const statuses = (await Promise.all(responses)).map((response) => response?.status);
    assert.deepEqual(statuses.sort(), [...Array(4).fill(201), ...Array(12).fill(403)]);
    const usage = await readUsage(service);
    assert.deepEqual([usage.bytes.stored, usage.bytes.reserved], [4 * SIZE, 0]);
    assert.deepEqual([usage.designs.stored, usage.designs.reserved], [4, 0]);
  });
}

test('an upload that is aborted, rejected or loses its token releases its quota', async (t) => {
  const service = await openTestServer(t, { listen: true, quotas: { bytes: SIZE, designs: 1 } });
  const aborted = await beginUpload(t, service);
  await waitForReserved(service, SIZE);
  assertRefused(await post(service), 'designs', /You have 1 of 1 designs/);
  aborted.socket.destroy();
  await waitForReserved(service, 0);

  const { id, token } = await issueToken(service, { capabilities: ['write'], origins: [] });
  const revoked = await beginUpload(t, { ...service, token });
  await waitForReserved(service, SIZE);
  await sendRequest(service, 'DELETE', `/v1/tokens/${id}`);
  assert.equal((await revoked.readResponse())?.status, 401);

  assert.equal((await post(service, Buffer.alloc(SIZE, 'x'))).statusCode, 422);
  const wrongSha256 = `/v1/designs?sha256=${'0'.repeat(64)}`;
  const damaged = await sendRequest(service, 'POST', wrongSha256, MODEL, GLB_HEADERS);
  assert.equal(damaged.json().code, 'design.checksum');
  const { bytes, designs } = await readUsage(service);
  assert.deepEqual([bytes.reserved, designs.reserved], [0, 0]);
  assert.equal((await post(service)).statusCode, 201);
});

test('a revision needs bytes but no design; deleting revisions and designs frees both at once', async (t) => {
  const quotas = { bytes: 2 * SIZE, designs: 1 };
  const service = await openTestServer(t, { listen: true, quotas });
  const { id } = (await post(service)).json();
  assertRefused(await post(service), 'designs', /1 of 1 designs.* needs 1\. Delete designs/);
  assert.equal((await put(service, id)).statusCode, 200);
  assertRefused(await put(service, id), 'bytes', /Delete designs or revisions/);
  // Before its body is sent.
  const refused = await beginUpload(t, service, { route: `PUT /v1/designs/${id}/model` });
  assert.equal((await refused.readResponse())?.status, 403);
  const deleted = await sendRequest(service, 'DELETE', `/v1/designs/${id}/revisions/1`);
  assert.equal(deleted.statusCode, 204, deleted.body);
  assert.equal((await put(service, id)).statusCode, 200);
  await sendRequest(service, 'DELETE', `/v1/designs/${id}`);
  assert.equal((await readUsage(service)).bytes.stored, 0);
  assert.equal((await post(service)).statusCode, 201);
});

test('users do not affect each other, and limits of a user override those of the service', async (t) => {
  const service = await openTestServer(t, { quotas: { bytes: 0, designs: 1 } });
  const anna = await addUser(t, service);
  for (const client of [service, anna]) {
    assert.equal((await post(client)).statusCode, 201);
    assertRefused(await post(client), 'designs', /1 of 1/);
  }
  const database = connectToServerDatabase(t, service);
  const setLimits = (megabytes: number | null, designs: number | null) =>
    database.all(
      `UPDATE "user" SET max_megabytes = ?, max_designs = ? WHERE id = 'usr_anna'`,
      megabytes,
      designs,
    );
  await setLimits(null, 0);
  assert.equal((await post(anna)).statusCode, 201);
  assertRefused(await post(service), 'designs', /1 of 1/);
  const large = Buffer.alloc(1024 * 1024 - 2 * SIZE + 1, 'x');
  await setLimits(1, 0);
  assertRefused(await post(anna, large), 'bytes', /of 1048576 bytes/);
  assert.equal((await post(anna, large.subarray(1))).json().code, 'design.unsupported');
  await setLimits(null, null);
  assertRefused(await post(anna), 'designs', /2 of 1/);
});

test('a limit that is lowered while a file arrives applies to this file', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const connection = await beginUpload(t, service);
  await waitForReserved(service, SIZE);
  await uploadTestDesign(service);
  await connectToServerDatabase(t, service).exec('UPDATE "user" SET max_designs = 1');
  const response = await connection.write(MODEL).readResponse();
  assert.equal(response?.status, 403);
  assert.equal(JSON.parse(response.body).code, 'upload.quota');
  const { designs } = await readUsage(service);
  assert.deepEqual(designs, { stored: 1, reserved: 0, limit: 1 });
});

test('a retry with its Idempotency-Key gets the first response when no quota is left', async (t) => {
  const service = await openTestServer(t, { quotas: { bytes: SIZE, designs: 1 } });
  const key = { 'idempotency-key': 'a', prefer: '' };
  const first = await post(service, MODEL, key);
  const retry = await post(service, MODEL, key);
  assert.deepEqual([first.statusCode, retry.statusCode], [201, 201], retry.body);
  assert.equal(retry.json().id, first.json().id);
  assertRefused(await post(service, MODEL, { 'idempotency-key': 'b' }), 'designs', /1 of 1/);
});

for (const [name, quotas] of [
  ['bytes', { bytes: 2 * SIZE - 1, designs: 0 }],
  ['designs', { bytes: 0, designs: 1 }],
] as const) {
  test(`a retry beside the first request, which has the last quota of ${name}, is to be repeated`, async (t) => {
    const service = await openTestServer(t, { listen: true, quotas });
    const key = { 'idempotency-key': 'a', prefer: '' };
    const first = await beginUpload(t, service, key);
    await waitForReserved(service, SIZE);
    const retry = await post(service, MODEL, key);
    assert.equal(retry.statusCode, 409, retry.body);
    assert.equal(retry.json().code, 'idempotency.in-progress');
    assert.equal(retry.headers['retry-after'], '1');
    assertRefused(
      await post(service, MODEL, { 'idempotency-key': 'b' }),
      name,
      /this upload needs/,
    );
    const response = await first.write(MODEL).readResponse();
    assert.equal(response?.status, 201);
    const repeated = await post(service, MODEL, key);
    assert.deepEqual([repeated.statusCode, repeated.body], [201, response.body]);
  });
}

test('a retry of unknown length that exceeds what the first request leaves is to be repeated', async (t) => {
  const service = await openTestServer(t, {
    listen: true,
    quotas: { bytes: 2 * SIZE - 1, designs: 0 },
  });
  const key = { 'idempotency-key': 'a', prefer: '' };
  const first = await beginUpload(t, service, key);
  await waitForReserved(service, SIZE);
  const retry = await postInChunks(t, service, key);
  assert.equal(retry?.status, 409, retry?.body);
  assert.equal(JSON.parse(retry.body).code, 'idempotency.in-progress');
  const response = await first.write(MODEL).readResponse();
  const repeated = await postInChunks(t, service, key);
  assert.deepEqual([repeated?.status, repeated?.body], [201, response?.body]);
});

test('a file that is stored counts once while its request waits for the result', async (t) => {
  const service = await openTestServer(t, { processing: { modelProcessor: hangingProcessor } });
  const pending = post(service);
  await waitUntil(
    'the file is stored',
    async () => (await readUsage(service)).bytes.stored === SIZE,
  );
  const { bytes, designs } = await readUsage(service);
  assert.deepEqual([bytes.reserved, designs.reserved], [0, 0]);
  await sendRequest(service, 'DELETE', `/v1/designs/${await findDesign(service)}`);
  await pending;
});

test('without quotas, uploads are not limited, and usage is reported', async (t) => {
  const service = await openTestServer(t);
  for (let index = 0; index < 3; index += 1)
    assert.equal((await post(service)).statusCode, 201, String(index));
  const { user, ...usage } = await readUsage(service);
  assert.match(user, /^usr_/);
  assert.deepEqual(usage, {
    bytes: { stored: 3 * SIZE, reserved: 0, limit: null },
    designs: { stored: 3, reserved: 0, limit: null },
  });
  const publicToken = { ...service, token: (await issueToken(service)).token };
  assert.equal((await sendRequest(publicToken, 'GET', '/v1/usage')).statusCode, 403);
});
