import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Session } from '@cloche/contract/session';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import {
  CREATE_TOKEN_REQUEST,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  UNKNOWN_DESIGN_ID,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { Signer } from '../http/signer.ts';
import { SESSION_PURPOSE, signSession } from './session.ts';

const OWN_ORIGIN = 'http://cloche.test';
const EVIL_ORIGIN = 'https://evil.example';
/** A POST request of a page of the service. A GET request has no Origin. */
const OWN_PAGE = {
  origin: OWN_ORIGIN,
  'sec-fetch-site': 'same-origin',
  referer: `${OWN_ORIGIN}/`,
};
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

type Headers = Record<string, string>;

const post = (service: TestServer, headers: Headers = OWN_PAGE, token = service.token) =>
  sendRequest({ ...service, token }, 'POST', '/v1/sessions', undefined, headers);

async function startSession(service: TestServer, token = service.token): Promise<Session> {
  const response = await post(service, OWN_PAGE, token);
  assert.equal(response.statusCode, 200, response.body);
  return response.json();
}

async function openSession(t: TestContext) {
  const service = await openTestServer(t);
  const session = await startSession(service);
  const call = (
    method: 'GET' | 'POST' | 'DELETE',
    url: string,
    body?: object,
    headers: Headers = OWN_PAGE,
    token = session.token,
  ) => sendRequest({ ...service, token }, method, url, body, headers);
  return { service, session, call };
}

async function readToken(service: TestServer, id: string) {
  return (await sendRequest(service, 'GET', `/v1/tokens/${id}`)).json();
}

describe('POST /v1/sessions', () => {
  it('200: a session of one hour, with the capabilities of the token', async (t) => {
    const before = Date.now();
    const { session } = await openSession(t);
    assert.match(session.token, /^cloche_ss_[\w.-]+$/);
    assert.deepEqual(session.capabilities, ['read', 'write', 'embed']);
    const lifetimeMs = Date.parse(session.expiresAt) - before;
    assert.ok(lifetimeMs >= HOUR_MS && lifetimeMs < HOUR_MS + MINUTE_MS, `${lifetimeMs}`);
  });

  it('200: the secret token is not recorded as seen in a browser, and no token is stored', async (t) => {
    const { service } = await openSession(t);
    const { items } = (await sendRequest(service, 'GET', '/v1/tokens')).json();
    assert.equal(items.length, 1);
    assert.equal(items[0].seenInBrowserAt, null);
    assert.equal(
      service.logLines.find((line) => line.includes('used in a browser')),
      undefined,
    );
  });

  const otherPages: [name: string, headers: Headers, code: string, recorded: boolean][] = [
    [
      'another site',
      { origin: EVIL_ORIGIN, 'sec-fetch-site': 'cross-site' },
      'token.secret-in-browser',
      true,
    ],
    [
      'another site, and our own Sec-Fetch-Site',
      { ...OWN_PAGE, origin: EVIL_ORIGIN },
      'token.secret-in-browser',
      true,
    ],
    [
      'another host of our site',
      { ...OWN_PAGE, 'sec-fetch-site': 'same-site' },
      'token.secret-in-browser',
      true,
    ],
    ['https in place of http', { origin: 'https://cloche.test' }, 'token.secret-in-browser', true],
    ['another port', { origin: `${OWN_ORIGIN}:8080` }, 'token.secret-in-browser', true],
    ['an opaque origin', { ...OWN_PAGE, origin: 'null' }, 'token.secret-in-browser', true],
    ['an empty Origin', { origin: '' }, 'token.secret-in-browser', true],
    [
      'the Referer of another page',
      { ...OWN_PAGE, referer: `${OWN_ORIGIN}.evil.example/` },
      'token.secret-in-browser',
      true,
    ],
    ['no browser', {}, 'token.origin', false],
    ['an address that was typed', { 'sec-fetch-site': 'none' }, 'token.origin', false],
  ];
  for (const [name, headers, code, recorded] of otherPages) {
    it(`403 ${code}: ${name}`, async (t) => {
      const service = await openTestServer(t);
      const { id, token } = await issueToken(service, { capabilities: ['read'], origins: [] });
      const response = await post(service, headers, token);
      assert.deepEqual([response.statusCode, response.json().code], [403, code]);
      assert.equal((await readToken(service, id)).seenInBrowserAt !== null, recorded);
    });
  }

  it('403: a public token, also one for our own origin', async (t) => {
    const service = await openTestServer(t);
    for (const origins of [[SHOP_ORIGIN], [OWN_ORIGIN]]) {
      const { token } = await issueToken(service, { origins });
      assert.equal((await post(service, OWN_PAGE, token)).json().code, 'token.capability');
    }
  });

  it('401: no token, a revoked one, an expired one', async (t) => {
    const service = await openTestServer(t);
    const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
    const scope = { capabilities: ['read'], origins: [] };
    const revoked = await issueToken(service, scope);
    const expiring = await issueToken(service, { ...scope, expiresAt });
    await sendRequest(service, 'DELETE', `/v1/tokens/${revoked.id}`);
    service.advanceTime(HOUR_MS);
    const codes = await Promise.all(
      [revoked.token, expiring.token].map(async (token) =>
        (await post(service, OWN_PAGE, token)).json(),
      ),
    );
    assert.deepEqual(
      codes.map(({ code }) => code),
      ['token.revoked', 'token.expired'],
    );
    const anonymous = await post(service, { ...OWN_PAGE, authorization: '' });
    assert.equal(anonymous.json().code, 'token.missing');
  });
});

describe('a session', () => {
  it('does all four steps of embedding on behalf of its token', async (t) => {
    const { service, session, call } = await openSession(t);
    const client = { ...service, token: session.token };
    const upload = await uploadTestDesign(service);
    const uri = (await call('GET', '/v1/designs')).json().items[0].uri;
    assert.equal(uri, upload.uri);
    const snippet = await call('POST', '/embed/iframe/v1', { uri });
    assert.match(snippet.body, /CLOCHE_EMBED_TOKEN/);
    const created = await call('POST', '/v1/tokens', CREATE_TOKEN_REQUEST);
    assert.equal(created.statusCode, 201, created.body);
    // The token is limited by the token of the session, not by the page and the hour of the session.
    assert.deepEqual(created.json().origins, [SHOP_ORIGIN]);
    assert.equal(created.json().expiresAt, null);
    assert.equal(
      (await sendRequest(client, 'GET', '/v1/designs', undefined, OWN_PAGE)).statusCode,
      200,
    );
  });

  it('has no more than its token: capabilities, designs, origins of new tokens', async (t) => {
    const service = await openTestServer(t);
    const design = await uploadTestDesign(service);
    const reader = await issueToken(service, {
      capabilities: ['read'],
      origins: [],
      designs: [UNKNOWN_DESIGN_ID],
    });
    const writer = await issueToken(service, {
      capabilities: ['read', 'write', 'embed'],
      origins: [OWN_ORIGIN],
    });
    const call = async (parent: string, method: 'GET' | 'POST', url: string, body?: object) => {
      const { token } = await startSession(service, parent);
      return (await sendRequest({ ...service, token }, method, url, body, OWN_PAGE)).json();
    };
    const rename = await call(reader.token, 'POST', '/v1/tokens', CREATE_TOKEN_REQUEST);
    assert.equal(rename.code, 'token.capability');
    const read = await call(reader.token, 'GET', `/v1/designs/${design.id}`);
    assert.equal(read.code, 'token.design');
    const create = await call(writer.token, 'POST', '/v1/tokens', CREATE_TOKEN_REQUEST);
    assert.equal(create.code, 'token.scope-exceeded');
  });

  const requests: [name: string, headers: Headers, allowed: boolean][] = [
    ['a page of the service', OWN_PAGE, true],
    ['its GET request', { 'sec-fetch-site': 'same-origin', referer: `${OWN_ORIGIN}/docs` }, true],
    ['its GET request over plain http', { referer: `${OWN_ORIGIN}/docs/api` }, true],
    ['another site', { origin: EVIL_ORIGIN, 'sec-fetch-site': 'cross-site' }, false],
    ['another site over plain http', { referer: `${EVIL_ORIGIN}/` }, false],
    ['a similar host', { referer: `${OWN_ORIGIN}.evil.example/` }, false],
    ['our origin in the path of another', { referer: `${EVIL_ORIGIN}/${OWN_ORIGIN}/` }, false],
    ['a sandboxed page', { ...OWN_PAGE, origin: 'null' }, false],
    ['a program', {}, false],
  ];
  for (const [name, headers, allowed] of requests) {
    it(`${allowed ? 200 : 403}: ${name}`, async (t) => {
      const { call } = await openSession(t);
      const response = await call('GET', '/v1/designs', undefined, headers);
      if (allowed) assert.equal(response.statusCode, 200, response.body);
      else assert.deepEqual([response.statusCode, response.json().code], [403, 'token.origin']);
    });
  }

  it('401: ends after one hour; before that, it can be exchanged for a new one', async (t) => {
    const { service, session, call } = await openSession(t);
    service.advanceTime(50 * MINUTE_MS);
    const renewed = await startSession(service, session.token);
    assert.ok(renewed.expiresAt > session.expiresAt);
    service.advanceTime(11 * MINUTE_MS);
    assert.equal((await call('GET', '/v1/designs')).json().code, 'token.expired');
    assert.equal((await post(service, OWN_PAGE, session.token)).json().code, 'token.expired');
    const response = await call('GET', '/v1/designs', undefined, OWN_PAGE, renewed.token);
    assert.equal(response.statusCode, 200);
  });

  it('401: ends after twelve hours, however often it is renewed', async (t) => {
    const { service, session } = await openSession(t);
    let { token } = session;
    for (let minutes = 0; minutes < 12 * 60 - 30; minutes += 50) {
      service.advanceTime(50 * MINUTE_MS);
      token = (await startSession(service, token)).token;
    }
    service.advanceTime(50 * MINUTE_MS);
    assert.equal((await post(service, OWN_PAGE, token)).json().code, 'token.expired');
  });

  it('401: ends with its token: revoked or expired', async (t) => {
    const service = await openTestServer(t);
    const expiresAt = new Date(Date.now() + 2 * MINUTE_MS).toISOString();
    const parent = await issueToken(service, { capabilities: ['read'], origins: [], expiresAt });
    const session = await startSession(service, parent.token);
    assert.equal(session.expiresAt, expiresAt);
    const list = () =>
      sendRequest({ ...service, token: session.token }, 'GET', '/v1/designs', undefined, OWN_PAGE);
    assert.equal((await list()).statusCode, 200);
    assert.notEqual((await readToken(service, parent.id)).lastUsedAt, null);
    await sendRequest(service, 'DELETE', `/v1/tokens/${parent.id}`);
    assert.equal((await list()).json().code, 'token.revoked');
    assert.equal((await post(service, OWN_PAGE, session.token)).json().code, 'token.revoked');
  });

  it('401: every change to its text', async (t) => {
    const { call, session } = await openSession(t);
    const expiresAt = new Date(Date.now() + HOUR_MS);
    const sign = (key: number, purpose: string) =>
      signSession(new Signer(Buffer.alloc(32, key), purpose), {
        tokenId: 'tok_x',
        startedAt: new Date(),
        expiresAt,
      });
    const lastLetter = session.token.endsWith('A') ? 'B' : 'A';
    const rows: [text: string, code: string][] = [
      ['cloche_ss_', 'token.malformed'],
      [session.token.slice(0, -1), 'token.malformed'],
      [session.token.slice(0, -1) + lastLetter, 'token.malformed'],
      [session.token.replace('tok_', 'tok_x'), 'token.malformed'],
      [sign(8, SESSION_PURPOSE), 'token.malformed'],
      [sign(7, 'preview link'), 'token.malformed'],
      [sign(7, SESSION_PURPOSE), 'token.unknown'],
    ];
    for (const [text, code] of rows) {
      const response = await call('GET', '/v1/designs', undefined, OWN_PAGE, text);
      assert.deepEqual([response.statusCode, response.json().code], [401, code], text);
    }
  });

  it('403: does not embed, and its text is not in the log', async (t) => {
    const { service, session } = await openSession(t);
    const design = await uploadTestDesign(service);
    const response = await service.app.inject({
      url: `/embed/iframe/v1/${design.id}?token=${session.token}`,
      headers: {
        host: 'cloche.test',
        accept: 'application/json',
        'sec-fetch-dest': 'iframe',
        referer: `${SHOP_ORIGIN}/`,
      },
    });
    assert.equal(response.json().code, 'token.malformed');
    await service.app.inject({ url: `/${session.token}`, headers: { host: 'cloche.test' } });
    assert.ok(!service.logLines.join('').includes(session.token.slice(-20)));
  });
});
