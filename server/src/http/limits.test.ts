import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { formatRequestHead, RawConnection } from '../../testing/raw-connection.ts';
import {
  GLB_HEADERS,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';
import { createUpload, readStoredOffset, TUS_PATCH_HEADERS } from '../../testing/tus-requests.ts';
import { generateTokenString } from '../tokens/token-string.ts';
import { parseAddressRange } from './client-address.ts';
import type { ClientLimits } from './limits.ts';

type Headers = Record<string, string>;

/** A server behind a trusted proxy: the header names the client of an injected request. */
function openServer(t: TestContext, limits: Partial<ClientLimits>, listen = false) {
  const proxy = parseAddressRange('127.0.0.1') ?? assert.fail();
  return openTestServer(t, { limits, trustedProxies: [proxy], listen });
}

const from = (address: string): Headers => ({ 'x-forwarded-for': address });

function list(service: TestServer, headers: Headers = {}) {
  return sendRequest(service, 'GET', '/v1/tokens', undefined, headers);
}

function getDocument(service: TestServer, path: string, address: string) {
  const headers = { ...from(address), referer: `${SHOP_ORIGIN}/`, 'sec-fetch-dest': 'iframe' };
  return sendRequest(service, 'GET', path, undefined, { ...headers, authorization: '' });
}

function assertRateLimited({ statusCode, headers, body }: Awaited<ReturnType<typeof list>>): void {
  assert.equal(statusCode, 429, body);
  assert.match(String(headers['retry-after']), /^[1-9]\d*$/);
}

test('429: a token has a number of requests per minute, from all addresses together', async (t) => {
  const service = await openServer(t, { requestsPerMinute: 3 });
  for (const remaining of ['2', '1', '0']) {
    const { statusCode, headers } = await list(service, from(`192.0.2.${remaining}`));
    assert.equal(statusCode, 200);
    assert.equal(headers['ratelimit-limit'], '3');
    assert.equal(headers['ratelimit-remaining'], remaining);
    assert.match(String(headers['ratelimit-reset']), /^[1-6]?\d$/);
  }
  const refused = await list(service);
  assertRateLimited(refused);
  assert.equal(refused.json().code, 'request.rate-limited');
  assert.equal(refused.headers['ratelimit-remaining'], '0');
});

test('a public token has its requests for each network', async (t) => {
  const service = await openServer(t, { requestsPerMinute: 4 });
  const { uri } = await uploadTestDesign(service);
  const { token } = await issueToken(service);
  const getSnippet = (address: string) =>
    sendRequest({ ...service, token }, 'POST', '/embed/iframe/v1', { uri }, from(address));
  const own = '2001:db8::1';
  for (let count = 0; count < 4; count += 1) await getSnippet(own);
  assertRateLimited(await getSnippet(own));
  assertRateLimited(await getSnippet('2001:db8::ffff'));
  assert.equal((await getSnippet('2001:db8:0:1::1')).statusCode, 200);
});

test('429: framed documents of a token are limited for each network, with an error page', async (t) => {
  const service = await openServer(t, { documentsPerMinute: 2 });
  const { id } = await uploadTestDesign(service);
  const { token } = await issueToken(service);
  const path = `/embed/iframe/v1/${id}?token=${token}`;
  for (const remaining of ['1', '0']) {
    const { statusCode, headers } = await getDocument(service, path, '192.0.2.1');
    assert.equal(statusCode, 200);
    assert.equal(headers['ratelimit-remaining'], remaining);
  }
  // The same address as IPv6, and a lie of the client before what the proxy wrote.
  for (const address of ['192.0.2.1', '::ffff:192.0.2.1', '203.0.113.7, 192.0.2.1']) {
    const refused = await getDocument(service, path, address);
    assertRateLimited(refused);
    assert.match(refused.body, /Too many 3D views were requested/);
  }
  assert.equal((await getDocument(service, path, '192.0.2.2')).statusCode, 200);
  const other = await issueToken(service);
  const otherPath = `/embed/iframe/v1/${id}?token=${other.token}`;
  assert.equal((await getDocument(service, otherPath, '192.0.2.1')).statusCode, 200);
});

test('429: the framed documents of a shared design are limited for each network', async (t) => {
  const service = await openServer(t, { documentsPerMinute: 1 });
  const { id } = await uploadTestDesign(service);
  await sendRequest(service, 'PATCH', `/v1/designs/${id}`, { shared: true });
  const path = `/embed/share/v1/${id}`;
  assert.equal((await getDocument(service, path, '192.0.2.1')).statusCode, 200);
  assertRateLimited(await getDocument(service, path, '192.0.2.1'));
  assert.equal((await getDocument(service, path, '192.0.2.2')).statusCode, 200);
});

test('tokens that do not exist slow down only themselves: a correct one works at once', async (t) => {
  const service = await openServer(t, { failedTokensPerMinute: 2 });
  const { id } = await uploadTestDesign(service);
  const { token } = await issueToken(service);
  const attack = (address: string) =>
    list({ ...service, token: generateTokenString('secret') }, from(address));
  assert.equal((await attack('192.0.2.1')).statusCode, 401);
  assert.equal((await attack('192.0.2.1')).statusCode, 401);
  const order: string[] = [];
  const refused = attack('192.0.2.1').then((response) => {
    order.push('refused');
    return response;
  });
  assert.equal((await list(service, from('192.0.2.1'))).statusCode, 200);
  const path = `/embed/iframe/v1/${id}?token=${token}`;
  assert.equal((await getDocument(service, path, '192.0.2.1')).statusCode, 200);
  order.push('correct');
  assertRateLimited(await refused);
  assert.deepEqual(order, ['correct', 'refused']);
  assert.equal((await attack('192.0.2.2')).statusCode, 401);
  const wrongPath = `/embed/iframe/v1/${id}?token=${generateTokenString('public')}`;
  assertRateLimited(await getDocument(service, wrongPath, '192.0.2.1'));
});

test('tokens that were revoked or are not allowed to do something slow down nothing', async (t) => {
  const service = await openServer(t, { failedTokensPerMinute: 1 });
  const issued = await issueToken(service, { capabilities: ['read', 'embed'], origins: [] });
  await sendRequest(service, 'DELETE', `/v1/tokens/${issued.id}`);
  const client = { ...service, token: issued.token };
  for (let count = 0; count < 5; count += 1)
    assert.equal((await list(client)).json().code, 'token.revoked');
});

test('0: nothing is limited, and the headers are not sent', async (t) => {
  const service = await openServer(t, {
    requestsPerMinute: 0,
    documentsPerMinute: 0,
    failedTokensPerMinute: 0,
    uploadsPerToken: 0,
    connections: 0,
    connectionsPerAddress: 0,
  });
  const { headers } = await list(service);
  assert.equal(headers['ratelimit-limit'], undefined);
  for (let count = 0; count < 20; count += 1)
    assert.equal((await list({ ...service, token: 'x' })).statusCode, 401);
  assert.equal((await uploadTestDesign(service)).status, 'ready');
});

test('429: a token has a number of uploads in flight; each that ends makes room', async (t) => {
  const service = await openServer(t, { uploadsPerToken: 2 }, true);
  const open = async (methodAndPath: string, headers: Record<string, string | number>) => {
    const connection = await RawConnection.open(t, service);
    const head = formatRequestHead(service, methodAndPath, { ...headers, 'Content-Length': 100 });
    return connection.write(head).write('glTF');
  };
  const first = await open('POST /v1/designs', GLB_HEADERS);
  const drafts = join(service.dataDirectory, 'blobs', 'drafts');
  while ((await readdir(drafts)).length === 0) await sleep(5);
  const path = await createUpload(service, 100);
  const patch = { ...TUS_PATCH_HEADERS, 'Upload-Offset': 0 };
  await open(`PATCH ${path}`, patch);
  const database = connectToServerDatabase(t, service);
  while ((await readStoredOffset(database, path)) === 0) await sleep(50);
  const isLimited = async () =>
    (await sendRequest(service, 'POST', '/v1/designs', Buffer.from('x'), GLB_HEADERS))
      .statusCode === 429;
  assert.ok(await isLimited());
  // 16 writers more: all of them are refused, and none of them keeps a place.
  const writers = await Promise.all(
    Array.from({ length: 16 }, () => open('POST /v1/designs', GLB_HEADERS)),
  );
  for (const writer of writers) {
    const response = await writer.readResponse();
    assert.equal(response?.status, 429);
    assert.equal(JSON.parse(response?.body ?? '').code, 'upload.too-many');
    assert.equal(response?.headers['retry-after'], '1');
  }
  const other = await issueToken(service, { capabilities: ['write'], origins: [] });
  const ofOther = await sendRequest(
    { ...service, token: other.token },
    'POST',
    '/v1/designs',
    Buffer.from('x'),
    GLB_HEADERS,
  );
  assert.equal(ofOther.statusCode, 422);
  first.socket.destroy();
  while (await isLimited()) await sleep(5);
});
