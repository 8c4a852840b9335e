import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import type { Design } from '@cloche/contract/design';
import { type ProblemCode, type ProblemDetails, problems } from '@cloche/contract/problem';
import type { CreatedToken } from '@cloche/contract/token';
import type { ModelProcessor } from '@cloche/pipeline/model-processor';
import { generateMalformedGlbs } from '@cloche/pipeline/testing/malformed-glbs';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { openTestServer, type TestServer, type TestServerOptions } from '../testing/harness.ts';
import { formatRequestHead, RawConnection } from '../testing/raw-connection.ts';
import {
  issueToken,
  openServerDatabase,
  SHOP_ORIGIN,
  sendRequest,
  uploadTestDesign,
} from '../testing/requests.ts';
import { BlockingBlobStore, createDiskFullBlobStore } from '../testing/test-blobs.ts';
import { DiskBlobStore } from './blobs/disk-blob-store.ts';
import { migrate } from './database/migrate.ts';
import { openSqlite } from './database/sqlite.ts';
import { generateTokenString } from './tokens/token-string.ts';

const UNKNOWN_DESIGN_ID = '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55';
const CREATE_TOKEN_REQUEST = {
  capabilities: ['embed'],
  origins: [SHOP_ORIGIN],
  type: 'api',
  user: '~',
};
const GLB_HEADERS = { 'content-type': 'model/gltf-binary' };
const IFRAME_HEADERS = { 'sec-fetch-dest': 'iframe', referer: `${SHOP_ORIGIN}/` };
const HOUR_MS = 60 * 60 * 1000;

type ReceivedResponse = { status: number; type: string | undefined; body: string };

/** A listening service with a design and a token that shows it. */
type Fixture = {
  service: TestServer;
  design: Design;
  embedToken: CreatedToken;
  call(method: string, path: string, body?: unknown, headers?: Headers): Promise<ReceivedResponse>;
  /** Asks for the framed document. */
  getFramedDocument(token: string, headers?: Headers): Promise<ReceivedResponse>;
  sendRaw(bytes: string): Promise<ReceivedResponse>;
};

type Headers = Record<string, string>;

async function openFixture(t: TestContext, wishes: TestServerOptions = {}): Promise<Fixture> {
  const service = await openTestServer(t, { listen: true, ...wishes });
  const { host, port } = new URL(service.origin);

  const call: Fixture['call'] = async (method, path, body, headers = {}) => {
    const plain = typeof body === 'string' || Buffer.isBuffer(body);
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const authorization = `Bearer ${service.token}`;
    const sent = { host, authorization, ...type, ...headers };
    const asked = request({ host: '127.0.0.1', port, method, path, headers: sent, agent: false });
    asked.end(plain ? body : JSON.stringify(body));
    const answer = await new Promise<import('node:http').IncomingMessage>((resolve, reject) =>
      asked.once('response', resolve).once('error', reject),
    );
    const { statusCode: status = 0, headers: got } = answer;
    return { status, type: got['content-type'], body: await text(answer) };
  };
  const design = wishes.blobs ? ({} as Design) : await uploadTestDesign(service);
  return {
    service,
    design,
    embedToken: await issueToken(service),
    call,
    getFramedDocument(token, headers = IFRAME_HEADERS) {
      const sent = { authorization: '', accept: 'application/json', ...headers };
      return call('GET', `/embed/iframe/v1/${design.id}?token=${token}`, undefined, sent);
    },
    async sendRaw(bytes) {
      const answer = await (await RawConnection.open(t, service)).write(bytes).readResponse();
      const { status = 0, headers, body = '' } = answer ?? {};
      return { status, type: headers?.['content-type'], body };
    },
  };
}

type Trigger = (scene: Fixture, t: TestContext) => Promise<ReceivedResponse>;

const listTokensWith =
  (headers: Headers): Trigger =>
  ({ call }) =>
    call('GET', '/v1/tokens', undefined, headers);
const createTokenWith =
  (change: object): Trigger =>
  ({ call }) =>
    call('POST', '/v1/tokens', { ...CREATE_TOKEN_REQUEST, ...change });
const uploadOf =
  (bytes: Buffer): Trigger =>
  ({ call }) =>
    call('POST', '/v1/designs', bytes, GLB_HEADERS);
const authorizationFor = async ({ service }: Fixture, wish: object): Promise<Headers> => ({
  authorization: `Bearer ${(await issueToken(service, { origins: [], ...wish })).token}`,
});

const failingProcessor: ModelProcessor = {
  run: async () => ({ ok: false, code: 'design.failed', detail: 'Broken off.', retryable: false }),
};

/** Makes nothing until it is stopped. */
const hangingProcessor: ModelProcessor = {
  async run(_folder, { signal }) {
    if (!signal.aborted) await once(signal, 'abort');
    signal.throwIfAborted();
    throw new Error('Stopped.');
  },
};

const PATCH_HEADERS = {
  'tus-resumable': '1.0.0',
  'content-type': 'application/offset+octet-stream',
};

/** Begins an upload of 8 bytes. Answers its path. */
async function createUpload({ service }: Fixture): Promise<string> {
  const headers = { 'tus-resumable': '1.0.0', 'upload-length': '8' };
  const { headers: told } = await sendRequest(service, 'POST', '/v1/uploads', undefined, headers);
  return new URL(String(told.location)).pathname;
}

function patchUpload({ call }: Fixture, path: string, offset: number): Promise<ReceivedResponse> {
  return call('PATCH', path, Buffer.from('glTF'), {
    ...PATCH_HEADERS,
    'upload-offset': String(offset),
  });
}

/** Asks for the framed document of a design that a maker works on. */
async function getFramedDocument(
  t: TestContext,
  modelProcessor: ModelProcessor,
): Promise<ReceivedResponse> {
  const service = await openTestServer(t, { processing: { modelProcessor } });
  const wait = { ...GLB_HEADERS, prefer: modelProcessor === failingProcessor ? 'wait=60' : '' };
  const design = (await sendRequest(service, 'POST', '/v1/designs', makeBox(), wait)).json();
  const { token } = await issueToken(service);
  const url = `/embed/iframe/v1/${design.id}?token=${token}`;
  const headers = { ...IFRAME_HEADERS, authorization: '', accept: 'application/json' };
  return toReceivedResponse(await sendRequest(service, 'GET', url, undefined, headers));
}

const toReceivedResponse = ({
  statusCode,
  headers,
  body,
}: Awaited<ReturnType<typeof sendRequest>>): ReceivedResponse => ({
  status: statusCode,
  type: headers['content-type'] as string,
  body,
});

/** How each problem comes about. The last resort of every one is a request over a socket. */
const triggers: Record<ProblemCode, Trigger> = {
  'request.invalid': createTokenWith({ capabilities: 'embed' }),
  'request.broken-json': ({ call }) => call('POST', '/v1/tokens', '{'),
  'request.too-deep': ({ call }) => call('POST', '/v1/tokens', '['.repeat(33)),
  'request.ambiguous-host': ({ sendRaw }) =>
    sendRaw('GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'),
  'request.malformed': ({ sendRaw }) => sendRaw('hello\r\n\r\n'),
  'request.cursor': ({ call }) => call('GET', '/v1/tokens?cursor=x'),
  'request.not-acceptable': listTokensWith({ accept: 'image/png' }),
  'request.timeout': async (_scene, t) => {
    const { service, sendRaw } = await openFixture(t, { timeouts: { jsonBodyMs: 50 } });
    const sizes = { 'Content-Type': 'application/json', 'Content-Length': 10 };
    return sendRaw(formatRequestHead(service, 'POST /v1/tokens', sizes));
  },
  'request.too-large': ({ call }) => call('POST', '/v1/tokens', ' '.repeat(1024 * 1024 + 1)),
  'request.media-type': ({ call }) =>
    call('POST', '/v1/tokens', '{}', { 'content-type': 'text/plain' }),
  'request.wrong-host': listTokensWith({ host: 'evil.example' }),
  'request.headers-too-large': ({ service, sendRaw }) =>
    sendRaw(formatRequestHead(service, 'GET /', { 'X-Large': 'a'.repeat(20_000) })),
  'idempotency.reused': async ({ call }) => {
    const key = { 'idempotency-key': 'a' };
    await call('POST', '/v1/tokens', CREATE_TOKEN_REQUEST, key);
    return call('POST', '/v1/tokens', { ...CREATE_TOKEN_REQUEST, name: 'b' }, key);
  },
  'idempotency.in-progress': async (_scene, t) => {
    const blobs = await BlockingBlobStore.open(t);
    const { call } = await openFixture(t, { blobs });
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
  'token.expired': async (_scene, t) => {
    const scene = await openFixture(t);
    const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
    const headers = await authorizationFor(scene, { capabilities: ['read'], expiresAt });
    scene.service.advanceTime(HOUR_MS);
    return scene.call('GET', '/v1/tokens', undefined, headers);
  },
  'token.capability': async (scene) =>
    scene.call(
      'GET',
      '/v1/tokens',
      undefined,
      await authorizationFor(scene, { capabilities: ['write'] }),
    ),
  'token.origin': async (scene) => {
    const headers = await authorizationFor(scene, {
      capabilities: ['read'],
      origins: [SHOP_ORIGIN],
    });
    const origin = 'https://evil.example';
    return scene.call('GET', '/v1/tokens', undefined, { ...headers, origin });
  },
  'token.secret-in-browser': listTokensWith({ origin: SHOP_ORIGIN }),
  'token.reach': async (scene) => {
    const headers = await authorizationFor(scene, { capabilities: ['write'] });
    return scene.call('POST', '/v1/tokens', CREATE_TOKEN_REQUEST, headers);
  },
  'token.user': createTokenWith({ user: 'usr_other' }),
  'token.not-found': ({ call }) => call('GET', '/v1/tokens/tok_none'),
  'token.design': async (scene) => {
    const headers = await authorizationFor(scene, {
      capabilities: ['read'],
      designs: [UNKNOWN_DESIGN_ID],
    });
    return scene.call('GET', `/v1/designs/${scene.design.id}`, undefined, headers);
  },
  'origin.invalid': createTokenWith({ origins: ['https://*'] }),

  'design.unknown': ({ call }) => call('GET', `/v1/designs/${UNKNOWN_DESIGN_ID}`),
  'design.too-large': async (_scene, t) => {
    const { call } = await openFixture(t, { maxUploadBytes: 10_000 });
    return call('POST', '/v1/designs', Buffer.alloc(10_001), GLB_HEADERS);
  },
  'design.checksum': ({ call }) =>
    call('POST', `/v1/designs?sha256=${'0'.repeat(64)}`, makeBox(), GLB_HEADERS),
  'design.unsupported': uploadOf(Buffer.from('\x89PNG\r\n\x1a\n0123456789abcdef', 'latin1')),
  'design.unreadable': uploadOf(makeBox().subarray(0, 500)),
  'design.too-complex': (scene, t) => {
    for (const { code, bytes } of generateMalformedGlbs()) {
      if (code === 'design.too-complex') return uploadOf(bytes)(scene, t);
    }
    throw new Error('no such model');
  },

  'design.failed': (_scene, t) => getFramedDocument(t, failingProcessor),
  'design.not-ready': (_scene, t) => getFramedDocument(t, hangingProcessor),

  'upload.unknown': (scene) => patchUpload(scene, `/v1/uploads/${UNKNOWN_DESIGN_ID}`, 0),
  'upload.offset': async (scene) => patchUpload(scene, await createUpload(scene), 7),
  'upload.expired': async (_scene, t) => {
    const scene = await openFixture(t);
    const path = await createUpload(scene);
    scene.service.advanceTime(24 * HOUR_MS);
    return patchUpload(scene, path, 0);
  },
  'upload.version': ({ call }) => call('POST', '/v1/uploads', undefined, { 'upload-length': '8' }),
  'upload.busy': async (_scene, t) => {
    const scene = await openFixture(t, { timeouts: { uploadLockMs: 50 } });
    const path = await createUpload(scene);
    const sizes = { ...PATCH_HEADERS, 'upload-offset': 0, 'content-length': 8 };
    const line = await RawConnection.open(t, scene.service);
    line.write(formatRequestHead(scene.service, `PATCH ${path}`, sizes));
    while ((await scene.call('HEAD', path, undefined, PATCH_HEADERS)).status !== 423);
    return patchUpload(scene, path, 0);
  },

  'embed.placeholder': ({ getFramedDocument }) => getFramedDocument('CLOCHE_EMBED_TOKEN'),
  'embed.secret-token': (scene) => scene.getFramedDocument(scene.service.token),
  'embed.prefetch': (scene) =>
    scene.getFramedDocument(scene.embedToken.token, { purpose: 'prefetch' }),
  'embed.not-an-iframe': (scene) =>
    scene.getFramedDocument(scene.embedToken.token, { 'sec-fetch-dest': 'image' }),
  'embed.origin': (scene) =>
    scene.getFramedDocument(scene.embedToken.token, { referer: 'https://evil.example/' }),
  'embed.no-evidence': (scene) => scene.getFramedDocument(scene.embedToken.token, {}),
  'embed.grant': ({ call }) => call('GET', `/embed/assets/${'0'.repeat(64)}.glb`),
  'embed.cross-site': ({ call }) =>
    call('GET', `/embed/assets/${'0'.repeat(64)}.glb`, undefined, { origin: SHOP_ORIGIN }),
  'embed.asset': ({ call }) => call('GET', '/embed/viewer/none.js'),
  'embed.range': ({ call, design }) =>
    call('GET', `/v1/designs/${design.id}/model`, undefined, { range: 'bytes=9999999-' }),

  'server.busy': async (_scene, t) => {
    const service = await openTestServer(t, { processing: { maxQueuedJobs: 0 } });
    return toReceivedResponse(
      await sendRequest(service, 'POST', '/v1/designs', makeBox(), GLB_HEADERS),
    );
  },
  'server.failed': async (_scene, t) => {
    const { service, call } = await openFixture(t);
    openServerDatabase(t, service).exec('ALTER TABLE design RENAME TO away');
    return call('GET', '/v1/designs');
  },
  'server.storage-full': async (_scene, t) => {
    const blobs = createDiskFullBlobStore(
      await DiskBlobStore.open(await openTemporaryDirectory(t)),
    );
    const { call } = await openFixture(t, { blobs });
    return call('POST', '/v1/designs', makeBox(), GLB_HEADERS);
  },
  'server.unavailable': async (_scene, t) => {
    const database = openSqlite(':memory:');
    await migrate(database);
    await database.destroy();
    const { origin } = await openTestServer(t, { listen: true, database });
    const answer = await fetch(`http://127.0.0.1:${new URL(origin).port}/readyz`);
    const type = answer.headers.get('content-type') ?? '';
    return { status: answer.status, type, body: await answer.text() };
  },
};

test('every problem of the contract can happen, and is told as the contract says', async (t) => {
  assert.deepEqual(Object.keys(triggers).sort(), Object.keys(problems).sort());
  const scene = await openFixture(t);
  for (const [code, act] of Object.entries(triggers) as [ProblemCode, Trigger][]) {
    await t.test(code, async (t) => {
      const { status, type, body } = await act(scene, t);
      const view: ProblemDetails = JSON.parse(body);
      assert.equal(view.code, code, body);
      assert.equal(status, problems[code].status);
      assert.equal(type, 'application/problem+json; charset=utf-8');
      assert.equal(view.status, status);
      assert.equal(view.title, problems[code].title);
      assert.equal(view.type, `/docs/problems#${code}`);
      assert.ok(view.detail.length > 0);
      const known = ['type', 'status', 'code', 'title', 'detail', 'field', 'reason'];
      for (const field of Object.keys(view)) assert.ok(known.includes(field), field);
      assert.doesNotMatch(body, /node_modules|file:|SQLITE|ENOSPC|no such table|\.ts:\d/);
    });
  }
});
