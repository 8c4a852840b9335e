import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import type { DesignView } from '@cloche/contract/design';
import { type ProblemCode, type ProblemView, problems } from '@cloche/contract/problem';
import type { IssuedToken } from '@cloche/contract/token';
import { fullBlobs, HeldBlobs, openFolder } from '../testing/ground.ts';
import { openService, type Service, type Wishes } from '../testing/harness.ts';
import { malformedGlbs } from '../testing/malformed.ts';
import { makeBox } from '../testing/models.ts';
import { ask, head, issue, Line, openDatabase, SHOP, upload } from '../testing/requests.ts';
import { DiskBlobs } from './blobs/disk.ts';
import { migrate } from './database/migrate.ts';
import { openSqlite } from './database/sqlite.ts';
import type { Maker } from './pipeline/maker.ts';
import { makeTokenString } from './tokens/token-string.ts';

const NOBODY = '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55';
const WISH = { capabilities: ['embed'], origins: [SHOP], type: 'api', user: '~' };
const GLB = { 'content-type': 'model/gltf-binary' };
const FRAME = { 'sec-fetch-dest': 'iframe', referer: `${SHOP}/` };
const HOUR = 60 * 60 * 1000;

type Heard = { status: number; type: string | undefined; body: string };

/** A listening service with a design and a token that shows it. */
type Scene = {
  service: Service;
  design: DesignView;
  shown: IssuedToken;
  call(method: string, path: string, body?: unknown, headers?: Headers): Promise<Heard>;
  /** Asks for the framed document. */
  frame(token: string, headers?: Headers): Promise<Heard>;
  say(bytes: string): Promise<Heard>;
};

type Headers = Record<string, string>;

async function openScene(t: TestContext, wishes: Wishes = {}): Promise<Scene> {
  const service = await openService(t, { listen: true, ...wishes });
  const { host, port } = new URL(service.origin);

  const call: Scene['call'] = async (method, path, body, headers = {}) => {
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
  const design = wishes.blobs ? ({} as DesignView) : await upload(service);
  return {
    service,
    design,
    shown: await issue(service),
    call,
    frame(token, headers = FRAME) {
      const sent = { authorization: '', accept: 'application/json', ...headers };
      return call('GET', `/embed/iframe/v1/${design.id}?token=${token}`, undefined, sent);
    },
    async say(bytes) {
      const answer = await (await Line.open(t, service)).send(bytes).hear();
      const { status = 0, headers, body = '' } = answer ?? {};
      return { status, type: headers?.['content-type'], body };
    },
  };
}

type Provoke = (scene: Scene, t: TestContext) => Promise<Heard>;

const tokensWith =
  (headers: Headers): Provoke =>
  ({ call }) =>
    call('GET', '/v1/tokens', undefined, headers);
const wishing =
  (change: object): Provoke =>
  ({ call }) =>
    call('POST', '/v1/tokens', { ...WISH, ...change });
const sending =
  (bytes: Buffer): Provoke =>
  ({ call }) =>
    call('POST', '/v1/designs', bytes, GLB);
const as = async ({ service }: Scene, wish: object): Promise<Headers> => ({
  authorization: `Bearer ${(await issue(service, { origins: [], ...wish })).token}`,
});

const failing: Maker = {
  run: async () => ({ ok: false, code: 'design.failed', detail: 'Broken off.', retry: false }),
};

/** Makes nothing until it is stopped. */
const waiting: Maker = {
  async run(_folder, { signal }) {
    if (!signal.aborted) await once(signal, 'abort');
    signal.throwIfAborted();
    throw new Error('Stopped.');
  },
};

const PIECE = { 'tus-resumable': '1.0.0', 'content-type': 'application/offset+octet-stream' };

/** Begins an upload of 8 bytes. Answers its path. */
async function beginUpload({ service }: Scene): Promise<string> {
  const headers = { 'tus-resumable': '1.0.0', 'upload-length': '8' };
  const { headers: told } = await ask(service, 'POST', '/v1/uploads', undefined, headers);
  return new URL(String(told.location)).pathname;
}

function sendPiece({ call }: Scene, path: string, offset: number): Promise<Heard> {
  return call('PATCH', path, Buffer.from('glTF'), { ...PIECE, 'upload-offset': String(offset) });
}

/** Asks for the framed document of a design that a maker works on. */
async function frameOf(t: TestContext, maker: Maker): Promise<Heard> {
  const service = await openService(t, { workshop: { maker } });
  const wait = { ...GLB, prefer: maker === failing ? 'wait=60' : '' };
  const design = (await ask(service, 'POST', '/v1/designs', makeBox(), wait)).json();
  const { token } = await issue(service);
  const url = `/embed/iframe/v1/${design.id}?token=${token}`;
  const headers = { ...FRAME, authorization: '', accept: 'application/json' };
  return heard(await ask(service, 'GET', url, undefined, headers));
}

const heard = ({ statusCode, headers, body }: Awaited<ReturnType<typeof ask>>): Heard => ({
  status: statusCode,
  type: headers['content-type'] as string,
  body,
});

/** How each problem comes about. The last resort of every one is a request over a socket. */
const provoke: Record<ProblemCode, Provoke> = {
  'request.invalid': wishing({ capabilities: 'embed' }),
  'request.broken-json': ({ call }) => call('POST', '/v1/tokens', '{'),
  'request.too-deep': ({ call }) => call('POST', '/v1/tokens', '['.repeat(33)),
  'request.ambiguous-host': ({ say }) => say('GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'),
  'request.malformed': ({ say }) => say('hello\r\n\r\n'),
  'request.cursor': ({ call }) => call('GET', '/v1/tokens?cursor=x'),
  'request.not-acceptable': tokensWith({ accept: 'image/png' }),
  'request.timeout': async (_scene, t) => {
    const { service, say } = await openScene(t, { timeouts: { jsonBodyMs: 50 } });
    const sizes = { 'Content-Type': 'application/json', 'Content-Length': 10 };
    return say(head(service, 'POST /v1/tokens', sizes));
  },
  'request.too-large': ({ call }) => call('POST', '/v1/tokens', ' '.repeat(1024 * 1024 + 1)),
  'request.media-type': ({ call }) =>
    call('POST', '/v1/tokens', '{}', { 'content-type': 'text/plain' }),
  'request.wrong-host': tokensWith({ host: 'evil.example' }),
  'request.headers-too-large': ({ service, say }) =>
    say(head(service, 'GET /', { 'X-Large': 'a'.repeat(20_000) })),
  'idempotency.reused': async ({ call }) => {
    const key = { 'idempotency-key': 'a' };
    await call('POST', '/v1/tokens', WISH, key);
    return call('POST', '/v1/tokens', { ...WISH, name: 'b' }, key);
  },
  'idempotency.in-progress': async (_scene, t) => {
    const blobs = await HeldBlobs.open(t);
    const { call } = await openScene(t, { blobs });
    const send = () => call('POST', '/v1/designs', makeBox(), { ...GLB, 'idempotency-key': 'a' });
    const first = send();
    await blobs.reached;
    const second = await send();
    blobs.letGo();
    assert.equal((await first).status, 201);
    return second;
  },
  'route.unknown': ({ call }) => call('GET', '/nothing'),
  'route.method': ({ call }) => call('PUT', '/v1/tokens'),

  'token.missing': tokensWith({ authorization: '' }),
  'token.malformed': tokensWith({ authorization: 'Bearer hello' }),
  'token.unknown': tokensWith({ authorization: `Bearer ${makeTokenString('secret')}` }),
  'token.revoked': async ({ service, call }) => {
    const { id, token } = await issue(service, { capabilities: ['read'] });
    await ask(service, 'DELETE', `/v1/tokens/${id}`);
    return call('GET', '/v1/tokens', undefined, { authorization: `Bearer ${token}` });
  },
  'token.expired': async (_scene, t) => {
    const scene = await openScene(t);
    const expiresAt = new Date(Date.now() + HOUR).toISOString();
    const headers = await as(scene, { capabilities: ['read'], expiresAt });
    scene.service.pass(HOUR);
    return scene.call('GET', '/v1/tokens', undefined, headers);
  },
  'token.capability': async (scene) =>
    scene.call('GET', '/v1/tokens', undefined, await as(scene, { capabilities: ['write'] })),
  'token.origin': async (scene) => {
    const headers = await as(scene, { capabilities: ['read'], origins: [SHOP] });
    const origin = 'https://evil.example';
    return scene.call('GET', '/v1/tokens', undefined, { ...headers, origin });
  },
  'token.secret-in-browser': tokensWith({ origin: SHOP }),
  'token.reach': async (scene) => {
    const headers = await as(scene, { capabilities: ['write'] });
    return scene.call('POST', '/v1/tokens', WISH, headers);
  },
  'token.user': wishing({ user: 'usr_other' }),
  'token.not-found': ({ call }) => call('GET', '/v1/tokens/tok_none'),
  'token.design': async (scene) => {
    const headers = await as(scene, { capabilities: ['read'], designs: [NOBODY] });
    return scene.call('GET', `/v1/designs/${scene.design.id}`, undefined, headers);
  },
  'origin.invalid': wishing({ origins: ['https://*'] }),

  'design.unknown': ({ call }) => call('GET', `/v1/designs/${NOBODY}`),
  'design.too-large': async (_scene, t) => {
    const { call } = await openScene(t, { maxUploadBytes: 10_000 });
    return call('POST', '/v1/designs', Buffer.alloc(10_001), GLB);
  },
  'design.checksum': ({ call }) =>
    call('POST', `/v1/designs?sha256=${'0'.repeat(64)}`, makeBox(), GLB),
  'design.unsupported': sending(Buffer.from('\x89PNG\r\n\x1a\n0123456789abcdef', 'latin1')),
  'design.unreadable': sending(makeBox().subarray(0, 500)),
  'design.too-complex': (scene, t) => {
    for (const { code, bytes } of malformedGlbs()) {
      if (code === 'design.too-complex') return sending(bytes)(scene, t);
    }
    throw new Error('no such model');
  },

  'design.failed': (_scene, t) => frameOf(t, failing),
  'design.not-ready': (_scene, t) => frameOf(t, waiting),

  'upload.unknown': (scene) => sendPiece(scene, `/v1/uploads/${NOBODY}`, 0),
  'upload.offset': async (scene) => sendPiece(scene, await beginUpload(scene), 7),
  'upload.expired': async (_scene, t) => {
    const scene = await openScene(t);
    const path = await beginUpload(scene);
    scene.service.pass(24 * HOUR);
    return sendPiece(scene, path, 0);
  },
  'upload.version': ({ call }) => call('POST', '/v1/uploads', undefined, { 'upload-length': '8' }),
  'upload.busy': async (_scene, t) => {
    const scene = await openScene(t, { timeouts: { uploadLockMs: 50 } });
    const path = await beginUpload(scene);
    const sizes = { ...PIECE, 'upload-offset': 0, 'content-length': 8 };
    const line = await Line.open(t, scene.service);
    line.send(head(scene.service, `PATCH ${path}`, sizes));
    while ((await scene.call('HEAD', path, undefined, PIECE)).status !== 423);
    return sendPiece(scene, path, 0);
  },

  'embed.placeholder': ({ frame }) => frame('CLOCHE_EMBED_TOKEN'),
  'embed.secret-token': (scene) => scene.frame(scene.service.token),
  'embed.prefetch': (scene) => scene.frame(scene.shown.token, { purpose: 'prefetch' }),
  'embed.not-an-iframe': (scene) => scene.frame(scene.shown.token, { 'sec-fetch-dest': 'image' }),
  'embed.origin': (scene) => scene.frame(scene.shown.token, { referer: 'https://evil.example/' }),
  'embed.no-evidence': (scene) => scene.frame(scene.shown.token, {}),
  'embed.grant': ({ call }) => call('GET', `/embed/assets/${'0'.repeat(64)}.glb`),
  'embed.cross-site': ({ call }) =>
    call('GET', `/embed/assets/${'0'.repeat(64)}.glb`, undefined, { origin: SHOP }),
  'embed.asset': ({ call }) => call('GET', '/embed/viewer/none.js'),
  'embed.range': ({ call, design }) =>
    call('GET', `/v1/designs/${design.id}/model`, undefined, { range: 'bytes=9999999-' }),

  'server.busy': async (_scene, t) => {
    const service = await openService(t, { workshop: { queue: 0 } });
    return heard(await ask(service, 'POST', '/v1/designs', makeBox(), GLB));
  },
  'server.failed': async (_scene, t) => {
    const { service, call } = await openScene(t);
    openDatabase(t, service).exec('ALTER TABLE design RENAME TO away');
    return call('GET', '/v1/designs');
  },
  'server.storage-full': async (_scene, t) => {
    const blobs = fullBlobs(await DiskBlobs.open(await openFolder(t)));
    const { call } = await openScene(t, { blobs });
    return call('POST', '/v1/designs', makeBox(), GLB);
  },
  'server.unavailable': async (_scene, t) => {
    const database = openSqlite(':memory:');
    await migrate(database);
    await database.destroy();
    const { origin } = await openService(t, { listen: true, database });
    const answer = await fetch(`http://127.0.0.1:${new URL(origin).port}/readyz`);
    const type = answer.headers.get('content-type') ?? '';
    return { status: answer.status, type, body: await answer.text() };
  },
};

test('every problem of the contract can happen, and is told as the contract says', async (t) => {
  assert.deepEqual(Object.keys(provoke).sort(), Object.keys(problems).sort());
  const scene = await openScene(t);
  for (const [code, act] of Object.entries(provoke) as [ProblemCode, Provoke][]) {
    await t.test(code, async (t) => {
      const { status, type, body } = await act(scene, t);
      const view: ProblemView = JSON.parse(body);
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
