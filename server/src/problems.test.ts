import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ProblemCode, type ProblemDetails, problems } from '@cloche/contract/problem';
import { generateMalformedGlbs } from '@cloche/pipeline/testing/malformed-glbs';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { fetchFramedDocument } from '../testing/design-requests.ts';
import { openTestServer } from '../testing/harness.ts';
import { LOOPBACK_FETCHING, openPageServer } from '../testing/page-server.ts';
import {
  failingProcessor,
  getFramedDocumentWithProcessor,
  hangingProcessor,
  openProblemFixture,
  type ProblemFixture,
  type ReceivedResponse,
  type RequestHeaders,
  toReceivedResponse,
} from '../testing/problem-fixture.ts';
import { formatRequestHead, RawConnection } from '../testing/raw-connection.ts';
import {
  CREATE_TOKEN_REQUEST,
  GLB_HEADERS,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  UNKNOWN_DESIGN_ID,
} from '../testing/requests.ts';
import { BlockingBlobStore, createDiskFullBlobStore } from '../testing/test-blobs.ts';
import { connectToServerDatabase } from '../testing/test-database.ts';
import { createUpload, patchUpload, TUS_PATCH_HEADERS } from '../testing/tus-requests.ts';
import { DiskBlobStore } from './blobs/disk-blob-store.ts';
import { migrate } from './database/migrate.ts';
import { openSqlite } from './database/sqlite.ts';
import { SessionCookie } from './http/session-cookie.ts';
import { generateTokenString } from './tokens/token-string.ts';

const HTML_HEADERS = { 'content-type': 'text/html' };
const HOUR_MS = 60 * 60 * 1000;

type Trigger = (fixture: ProblemFixture, t: TestContext) => Promise<ReceivedResponse>;

const listTokensWith =
  (headers: RequestHeaders): Trigger =>
  ({ call }) =>
    call('GET', '/v1/tokens', undefined, headers);
const createTokenWith =
  (change: object): Trigger =>
  ({ call }) =>
    call('POST', '/v1/tokens', { ...CREATE_TOKEN_REQUEST, ...change });
/** Reads the id of the revision that is ready. */
async function readRevisionId({ service, design }: ProblemFixture, t: TestContext) {
  const row = await connectToServerDatabase(t, service).get(
    'SELECT id FROM revision WHERE design_id = ?',
    design.id,
  );
  return row?.id;
}
const uploadOf =
  (bytes: Buffer): Trigger =>
  ({ call }) =>
    call('POST', '/v1/designs', bytes, GLB_HEADERS);
const authorizationFor = async (
  { service }: ProblemFixture,
  changes: object,
): Promise<RequestHeaders> => ({
  authorization: `Bearer ${(await issueToken(service, { origins: [], ...changes })).token}`,
});

const checkPageAt =
  (url: string): Trigger =>
  ({ call }) =>
    call('POST', '/v1/page-checks', { url });
const checkServedPage =
  (handle: RequestListener, changes: { timeoutMs?: number } = {}): Trigger =>
  async (_fixture, t) => {
    const { origin } = await openPageServer(t, handle);
    const pageFetching = { ...LOOPBACK_FETCHING, ...changes };
    const { call } = await openProblemFixture(t, { pageFetching });
    return call('POST', '/v1/page-checks', { url: origin });
  };

const patchTo = async (
  { service }: ProblemFixture,
  path: string,
  offset: number,
): Promise<ReceivedResponse> =>
  toReceivedResponse(await patchUpload(service, path, Buffer.from('glTF'), offset));

/** For each problem, a request that causes it. */
const triggers: Record<ProblemCode, Trigger> = {
  'request.invalid': createTokenWith({ capabilities: 'embed' }),
  'request.broken-json': ({ call }) => call('POST', '/v1/tokens', '{'),
  'request.duplicate-key': ({ call }) => call('POST', '/v1/tokens', '{"name":"a","name":"b"}'),
  'request.too-deep': ({ call }) => call('POST', '/v1/tokens', '['.repeat(33)),
  'request.ambiguous-host': ({ sendRaw }) =>
    sendRaw('GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'),
  'request.malformed': ({ sendRaw }) => sendRaw('hello\r\n\r\n'),
  'request.range': async (fixture) => {
    const { id } = fixture.design;
    return fixture.call('GET', `/v1/designs/${id}/model`, undefined, { range: 'bytes=99999999-' });
  },
  'request.cursor': ({ call }) => call('GET', '/v1/tokens?cursor=x'),
  'request.not-acceptable': listTokensWith({ accept: 'image/png' }),
  'request.timeout': async (_fixture, t) => {
    const { service, sendRaw } = await openProblemFixture(t, { timeouts: { jsonBodyMs: 50 } });
    const headers = { 'Content-Type': 'application/json', 'Content-Length': 10 };
    return sendRaw(formatRequestHead(service, 'POST /v1/tokens', headers));
  },
  'request.too-large': ({ call }) => call('POST', '/v1/tokens', ' '.repeat(1024 * 1024 + 1)),
  'request.precondition-failed': async ({ call, service }) => {
    const { id } = await issueToken(service);
    return call('PATCH', `/v1/tokens/${id}`, { name: 'x' }, { 'if-match': '"0"' });
  },
  'request.media-type': ({ call }) =>
    call('POST', '/v1/tokens', '{}', { 'content-type': 'text/plain' }),
  'request.wrong-host': listTokensWith({ host: 'evil.example' }),
  'request.rate-limited': async (_fixture, t) => {
    const { call } = await openProblemFixture(t, { limits: { requestsPerMinute: 5 } });
    while ((await call('GET', '/v1/tokens')).status !== 429);
    return call('GET', '/v1/tokens');
  },
  'request.headers-too-large': ({ service, sendRaw }) =>
    sendRaw(formatRequestHead(service, 'GET /', { 'X-Large': 'a'.repeat(20_000) })),
  'idempotency.reused': async ({ call }) => {
    const key = { 'idempotency-key': 'a' };
    await call('POST', '/v1/tokens', CREATE_TOKEN_REQUEST, key);
    return call('POST', '/v1/tokens', { ...CREATE_TOKEN_REQUEST, name: 'b' }, key);
  },
  'idempotency.in-progress': async (_fixture, t) => {
    const blobs = await BlockingBlobStore.open(t);
    const { call } = await openProblemFixture(t, { blobs });
    const send = () =>
      call('POST', '/v1/designs', makeBox(), { ...GLB_HEADERS, 'idempotency-key': 'a' });
    const first = send();
    await blobs.commitStarted;
    const second = await send();
    blobs.release();
    assert.equal((await first).status, 201);
    return second;
  },
  'route.unknown': ({ call }) => call('GET', '/nothing'),
  'route.method': ({ call }) => call('PUT', '/v1/tokens'),

  'token.missing': listTokensWith({ authorization: '' }),
  'token.malformed': listTokensWith({ authorization: 'Bearer hello' }),
  'token.unknown': listTokensWith({ authorization: `Bearer ${generateTokenString('secret')}` }),
  'token.revoked': async ({ service, call }) => {
    const { id, token } = await issueToken(service, { capabilities: ['read'] });
    await sendRequest(service, 'DELETE', `/v1/tokens/${id}`);
    return call('GET', '/v1/tokens', undefined, { authorization: `Bearer ${token}` });
  },
  'token.expired': async (_fixture, t) => {
    const fixture = await openProblemFixture(t);
    const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
    const headers = await authorizationFor(fixture, { capabilities: ['read'], expiresAt });
    fixture.service.advanceTime(HOUR_MS);
    return fixture.call('GET', '/v1/tokens', undefined, headers);
  },
  'token.user-disabled': async (_fixture, t) => {
    const fixture = await openProblemFixture(t);
    const headers = await authorizationFor(fixture, { capabilities: ['read'] });
    const database = connectToServerDatabase(t, fixture.service);
    await database.exec(`UPDATE "user" SET disabled_at = '2026-01-01T00:00:00.000Z'`);
    return fixture.call('GET', '/v1/tokens', undefined, headers);
  },
  'token.capability': async (fixture) =>
    fixture.call(
      'GET',
      '/v1/tokens',
      undefined,
      await authorizationFor(fixture, { capabilities: ['write'] }),
    ),
  'token.origin': async (fixture) => {
    const headers = await authorizationFor(fixture, {
      capabilities: ['read'],
      origins: [SHOP_ORIGIN],
    });
    const origin = 'https://evil.example';
    return fixture.call('GET', '/v1/tokens', undefined, { ...headers, origin });
  },
  'token.secret-in-browser': listTokensWith({ origin: SHOP_ORIGIN }),
  'token.scope-exceeded': async (fixture) => {
    const headers = await authorizationFor(fixture, { capabilities: ['write'] });
    return fixture.call('POST', '/v1/tokens', CREATE_TOKEN_REQUEST, headers);
  },
  'token.user': createTokenWith({ user: 'usr_other' }),
  'token.operator': async (fixture) => {
    const origins = ['https://shop.example'];
    const headers = await authorizationFor(fixture, { capabilities: ['read'], origins });
    return fixture.call('GET', '/v1/nodes', undefined, headers);
  },
  'token.not-found': ({ call }) => call('GET', '/v1/tokens/tok_none'),
  'token.not-rotatable': async ({ service, call }) => {
    const { id } = await issueToken(service);
    await call('POST', `/v1/tokens/${id}/rotate`);
    return call('POST', `/v1/tokens/${id}/rotate`);
  },
  'token.last-issuer': async ({ call }) => {
    const { body } = await call('GET', '/v1/tokens?limit=200');
    const bootstrap = JSON.parse(body).items.at(-1);
    return call('DELETE', `/v1/tokens/${bootstrap.id}?descendants=true`);
  },
  'token.design': async (fixture) => {
    const headers = await authorizationFor(fixture, {
      capabilities: ['read'],
      designs: [UNKNOWN_DESIGN_ID],
    });
    return fixture.call('GET', `/v1/designs/${fixture.design.id}`, undefined, headers);
  },
  'session.ended': ({ call, service: { origin } }) =>
    call('GET', '/v1/tokens', undefined, {
      authorization: '',
      origin,
      cookie: `${new SessionCookie(origin).name}=cloche_ss_x`,
    }),
  'session.link': ({ call, service: { origin } }) =>
    call('POST', '/v1/sessions/from-link', { code: 'cloche_ss_x' }, { authorization: '', origin }),
  'session.unknown': ({ call }) => call('GET', '/v1/sessions/ses_x'),
  'user.unknown': ({ call }) => call('GET', '/v1/users/usr_none'),
  'user.operator': async ({ call }) => {
    const [user] = JSON.parse((await call('GET', '/v1/users')).body).items;
    return call('PATCH', `/v1/users/${user.id}`, { active: false });
  },
  'origin.invalid': createTokenWith({ origins: ['https://*'] }),

  'design.unknown': ({ call }) => call('GET', `/v1/designs/${UNKNOWN_DESIGN_ID}`),
  'design.too-large': async (_fixture, t) => {
    const { call } = await openProblemFixture(t, { maxUploadBytes: 10_000 });
    return call('POST', '/v1/designs', Buffer.alloc(10_001), GLB_HEADERS);
  },
  'design.checksum': ({ call }) =>
    call('POST', `/v1/designs?sha256=${'0'.repeat(64)}`, makeBox(), GLB_HEADERS),
  'design.unsupported': uploadOf(Buffer.from('\x89PNG\r\n\x1a\n0123456789abcdef', 'latin1')),
  'design.unreadable': uploadOf(makeBox().subarray(0, 500)),
  'design.too-complex': (fixture, t) => {
    for (const { code, bytes } of generateMalformedGlbs()) {
      if (code === 'design.too-complex') return uploadOf(bytes)(fixture, t);
    }
    throw new Error('No malformed GLB causes design.too-complex.');
  },

  'design.poster-link': ({ call, design }) => call('GET', `/v1/designs/${design.id}/poster`),
  'design.external-id': async ({ call, design }) => {
    await call('POST', '/v1/designs?externalId=a', makeBox(), GLB_HEADERS);
    return call('PATCH', `/v1/designs/${design.id}`, { externalId: 'a' });
  },
  'design.failed': (_fixture, t) => getFramedDocumentWithProcessor(t, failingProcessor),
  'design.not-ready': (_fixture, t) => getFramedDocumentWithProcessor(t, hangingProcessor),

  'revision.unknown': ({ call, design }) =>
    call('POST', `/v1/designs/${design.id}/revisions/7/cancel`),
  'revision.ended': ({ call, design }) =>
    call('POST', `/v1/designs/${design.id}/revisions/1/cancel`),
  'revision.shown': ({ call, design }) => call('DELETE', `/v1/designs/${design.id}/revisions/1`),
  'revision.last': async (_fixture, t) => {
    const service = await openTestServer(t, { processing: { modelProcessor: failingProcessor } });
    const { id } = (
      await sendRequest(service, 'POST', '/v1/designs', makeBox(), GLB_HEADERS)
    ).json();
    return toReceivedResponse(
      await sendRequest(service, 'DELETE', `/v1/designs/${id}/revisions/1`),
    );
  },

  'job.unknown': ({ call }) => call('POST', `/v1/jobs/${UNKNOWN_DESIGN_ID}/retry`),
  'job.not-failed': async (fixture, t) =>
    fixture.call('POST', `/v1/jobs/${await readRevisionId(fixture, t)}/retry`),
  'job.ended': async (fixture, t) =>
    fixture.call('POST', `/v1/jobs/${await readRevisionId(fixture, t)}/cancel`),

  'upload.unknown': (fixture) => patchTo(fixture, `/v1/uploads/${UNKNOWN_DESIGN_ID}`, 0),
  'upload.offset': async (fixture) => patchTo(fixture, await createUpload(fixture.service, 8), 7),
  'upload.expired': async (_fixture, t) => {
    const fixture = await openProblemFixture(t);
    const path = await createUpload(fixture.service, 8);
    fixture.service.advanceTime(24 * HOUR_MS);
    return patchTo(fixture, path, 0);
  },
  'upload.version': ({ call }) => call('POST', '/v1/uploads', undefined, { 'upload-length': '8' }),
  'upload.too-many': async (_fixture, t) => {
    const { service, call } = await openProblemFixture(t, { limits: { uploadsPerToken: 1 } });
    const connection = await RawConnection.open(t, service);
    const headers = { ...GLB_HEADERS, 'content-length': 8 };
    connection.write(formatRequestHead(service, 'POST /v1/designs', headers)).write('glTF');
    const drafts = join(service.dataDirectory, 'blobs', 'drafts');
    while ((await readdir(drafts)).length === 0) await sleep(5);
    return call('POST', '/v1/designs', Buffer.from('x'), GLB_HEADERS);
  },
  'upload.quota': async (_fixture, t) => {
    const { call } = await openProblemFixture(t, { quotas: { bytes: 0, designs: 1 } });
    return call('POST', '/v1/designs', makeBox(), GLB_HEADERS);
  },
  'upload.locked': async (_fixture, t) => {
    const fixture = await openProblemFixture(t, { timeouts: { uploadLockMs: 50 } });
    const path = await createUpload(fixture.service, 8);
    const headers = { ...TUS_PATCH_HEADERS, 'upload-offset': 0, 'content-length': 8 };
    const connection = await RawConnection.open(t, fixture.service);
    connection.write(formatRequestHead(fixture.service, `PATCH ${path}`, headers));
    while ((await fixture.call('HEAD', path, undefined, TUS_PATCH_HEADERS)).status !== 423);
    return patchTo(fixture, path, 0);
  },

  'embed.placeholder': ({ getFramedDocument }) => getFramedDocument('CLOCHE_EMBED_TOKEN'),
  'embed.secret-token': (fixture) => fixture.getFramedDocument(fixture.service.token),
  'embed.prefetch': (fixture) =>
    fixture.getFramedDocument(fixture.embedToken.token, { purpose: 'prefetch' }),
  'embed.not-an-iframe': (fixture) =>
    fixture.getFramedDocument(fixture.embedToken.token, { 'sec-fetch-dest': 'image' }),
  'embed.origin': (fixture) =>
    fixture.getFramedDocument(fixture.embedToken.token, { referer: 'https://evil.example/' }),
  'embed.unverified-origin': (fixture) => fixture.getFramedDocument(fixture.embedToken.token, {}),
  'embed.preview-link': ({ call, design }) =>
    call('GET', `/preview/${design.id}?link=x`, undefined, { accept: 'application/json' }),
  'oembed.format': ({ call }) => call('GET', '/oembed?url=x&format=yaml'),
  'design.not-shared': ({ call, design }) =>
    call('GET', `/share/${design.id}`, undefined, { accept: 'application/json' }),
  'embed.grant': ({ call }) => call('GET', `/embed/assets/${'0'.repeat(64)}.glb`),
  'embed.ticket': async (_fixture, t) => {
    const cdn = { origin: 'https://cdn.example', ticketMs: HOUR_MS };
    const service = await openTestServer(t, { cdn });
    return toReceivedResponse(await sendRequest(service, 'GET', '/embed/tickets/check'));
  },
  'embed.cross-site': ({ call }) =>
    call('GET', `/embed/assets/${'0'.repeat(64)}.glb`, undefined, { origin: SHOP_ORIGIN }),
  'embed.asset': ({ call }) => call('GET', '/embed/viewer/none.js'),
  'embed.range': async ({ service, call, design }) => {
    const { viewerConfig, model } = await fetchFramedDocument(service, design.id);
    const headers = { 'cloche-grant': viewerConfig.grant, range: 'bytes=9999999-' };
    return call('GET', model.url, undefined, headers);
  },

  'page.url': checkPageAt('file:///etc/passwd'),
  'page.private-address': checkPageAt('http://127.0.0.1/'),
  'page.unreachable': checkServedPage((_request, response) => response.destroy()),
  'page.status': checkServedPage((_request, response) => response.writeHead(404).end()),
  'page.redirects': checkServedPage((_request, response) =>
    response.writeHead(302, { location: '/' }).end(),
  ),
  'page.not-html': checkServedPage((_request, response) => response.end('a')),
  'page.too-large': checkServedPage((_request, response) =>
    response.writeHead(200, HTML_HEADERS).end('a'.repeat(2 * 1024 * 1024 + 1)),
  ),
  'page.timeout': checkServedPage(() => {}, { timeoutMs: 50 }),
  'page.busy': async (_fixture, t) => {
    const waiting = Promise.withResolvers<void>();
    let count = 0;
    const { origin } = await openPageServer(t, () => {
      count += 1;
      if (count === 4) waiting.resolve();
    });
    const { call } = await openProblemFixture(t, { pageFetching: LOOPBACK_FETCHING });
    const check = () => call('POST', '/v1/page-checks', { url: origin });
    const first = [check(), check(), check(), check()];
    await waiting.promise;
    for (const response of first) response.catch(() => {});
    return check();
  },

  'server.busy': async (_fixture, t) => {
    const service = await openTestServer(t, { processing: { maxQueuedJobs: 0 } });
    return toReceivedResponse(
      await sendRequest(service, 'POST', '/v1/designs', makeBox(), GLB_HEADERS),
    );
  },
  'server.failed': async (_fixture, t) => {
    const { service, call } = await openProblemFixture(t);
    await connectToServerDatabase(t, service).exec('ALTER TABLE design RENAME TO renamed');
    return call('GET', '/v1/designs');
  },
  'server.damaged': async ({ service, call }, t) => {
    const { id } = await issueToken(service);
    await connectToServerDatabase(t, service).all(
      "UPDATE token SET origins = '*' WHERE id = ?",
      id,
    );
    return call('GET', `/v1/tokens/${id}`);
  },
  'server.storage-full': async (_fixture, t) => {
    const blobs = createDiskFullBlobStore(
      await DiskBlobStore.open(await openTemporaryDirectory(t)),
    );
    const { call } = await openProblemFixture(t, { blobs });
    return call('POST', '/v1/designs', makeBox(), GLB_HEADERS);
  },
  'server.unavailable': async (_fixture, t) => {
    const database = openSqlite(':memory:');
    await migrate(database);
    const { origin } = await openTestServer(t, { listen: true, database });
    await database.destroy();
    const response = await fetch(`http://127.0.0.1:${new URL(origin).port}/readyz`);
    const type = response.headers.get('content-type') ?? '';
    return { status: response.status, type, body: await response.text() };
  },
};

test('every problem in the contract occurs, with its status and title', async (t) => {
  assert.deepEqual(Object.keys(triggers).sort(), Object.keys(problems).sort());
  const fixture = await openProblemFixture(t);
  for (const [code, trigger] of Object.entries(triggers) as [ProblemCode, Trigger][]) {
    await t.test(code, async (t) => {
      const { status, type, body } = await trigger(fixture, t);
      const problem: ProblemDetails = JSON.parse(body);
      assert.equal(problem.code, code, body);
      assert.equal(status, problems[code].status);
      assert.equal(type, 'application/problem+json; charset=utf-8');
      assert.equal(problem.status, status);
      assert.equal(problem.title, problems[code].title);
      assert.equal(problem.type, `/docs/problems#${code}`);
      assert.ok(problem.detail.length > 0);
      const allowedFields = ['type', 'status', 'code', 'title', 'detail', 'field', 'reason'];
      for (const field of Object.keys(problem)) assert.ok(allowedFields.includes(field), field);
      assert.doesNotMatch(
        body,
        /node_modules|file:|SQLITE|ENOSPC|no such table|relation "|\.ts:\d/,
      );
    });
  }
});
