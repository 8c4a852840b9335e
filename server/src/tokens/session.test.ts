import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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
import {
  OWN_ORIGIN,
  OWN_PAGE,
  openBrowser,
  postSession,
  readCookie,
  signIn,
} from '../../testing/sessions.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';
import { describeUserAgent } from './session.ts';

const EVIL_ORIGIN = 'https://evil.example';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

type Headers = Record<string, string>;

async function readToken(service: TestServer, id: string) {
  return (await sendRequest(service, 'GET', `/v1/tokens/${id}`)).json();
}

describe('POST /v1/sessions', () => {
  it('200: a cookie that no script can read, and nothing secret in the body', async (t) => {
    const service = await openTestServer(t);
    const response = await postSession(service);
    assert.equal(response.statusCode, 200);
    const [pair = '', ...attributes] = String(response.headers['set-cookie']).split('; ');
    assert.match(pair, /^cloche-session-80=cloche_ss_[0-9A-Za-z]{32}$/);
    assert.deepEqual(attributes, ['Max-Age=604800', 'Path=/', 'HttpOnly', 'SameSite=Strict']);
    assert.doesNotMatch(response.body, /cloche_ss_|cloche_sk_/);
    const session: Session = response.json();
    assert.deepEqual(session.capabilities, ['read', 'write', 'embed']);
    assert.deepEqual([session.current, session.operator], [true, true]);
    assert.deepEqual([session.origins, session.designs], [[], null]);
    const database = connectToServerDatabase(t, service);
    const rows = JSON.stringify(await database.all('SELECT * FROM session'));
    assert.ok(!rows.includes(pair.slice(-32)), 'only its hash is stored');
    assert.ok(!service.logLines.join('').includes(pair.slice(-32)));
  });

  it('over https, the cookie is for this host and https only', async (t) => {
    const service = await openTestServer(t, { publicUrl: 'https://cloche.test' });
    const origin = 'https://cloche.test';
    const response = await postSession(service, { origin });
    assert.equal(response.statusCode, 200, response.body);
    assert.match(
      String(response.headers['set-cookie']),
      /^__Host-cloche-session=cloche_ss_\w{32}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    const cookie = readCookie(response);
    const { call } = openBrowser(service, cookie, response.json());
    assert.equal((await call('GET', '/v1/designs', undefined, { origin })).statusCode, 200);
    const plain = openBrowser(service, cookie.replace('__Host-', ''), response.json());
    const refused = await plain.call('GET', '/v1/designs', undefined, { origin });
    assert.equal(refused.json().code, 'token.missing', 'a cookie with another name is none');
  });

  it('200: the secret token is not recorded as seen in a browser, and no token is stored', async (t) => {
    const service = await openTestServer(t);
    await signIn(service);
    const { items } = (await sendRequest(service, 'GET', '/v1/tokens')).json();
    assert.equal(items.length, 1);
    assert.equal(items[0].seenInBrowserAt, null);
  });

  it('a new secret at each sign-in: a cookie that was set before never becomes valid', async (t) => {
    const service = await openTestServer(t);
    const planted = `cloche-session-80=cloche_ss_${'A'.repeat(32)}`;
    const response = await postSession(service, { ...OWN_PAGE, cookie: planted });
    assert.notEqual(readCookie(response), planted);
    const { call } = openBrowser(service, planted, response.json());
    assert.equal((await call('GET', '/v1/designs')).json().code, 'session.ended');
  });

  it('the session that the browser had before ends', async (t) => {
    const service = await openTestServer(t);
    const first = await signIn(service);
    assert.equal((await first.call('GET', '/v1/designs')).statusCode, 200);
    const response = await postSession(service, { ...OWN_PAGE, cookie: first.cookie });
    assert.equal(response.statusCode, 200);
    assert.equal((await first.call('GET', '/v1/designs')).json().code, 'session.ended');
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
    it(`403 ${code}: ${name} signs nobody in`, async (t) => {
      const service = await openTestServer(t);
      const { id, token } = await issueToken(service, { capabilities: ['read'], origins: [] });
      const response = await postSession(service, headers, token);
      assert.deepEqual([response.statusCode, response.json().code], [403, code]);
      assert.equal(response.headers['set-cookie'], undefined);
      assert.equal((await readToken(service, id)).seenInBrowserAt !== null, recorded);
    });
  }

  it('401 and 403: a public token, a session, no token, a revoked or expired or replaced one', async (t) => {
    const service = await openTestServer(t);
    const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
    const scope = { capabilities: ['read'], origins: [] };
    const [revoked, replaced] = [
      await issueToken(service, scope),
      await issueToken(service, scope),
    ];
    const expiring = await issueToken(service, { ...scope, expiresAt });
    const shown = await issueToken(service, { origins: [OWN_ORIGIN] });
    await sendRequest(service, 'DELETE', `/v1/tokens/${revoked.id}`);
    await sendRequest(service, 'POST', `/v1/tokens/${replaced.id}/rotate`);
    const browser = await signIn(service);
    service.advanceTime(HOUR_MS);
    const codes: unknown[] = [];
    for (const { token } of [shown, revoked, expiring, replaced])
      codes.push((await postSession(service, OWN_PAGE, token)).json().code);
    codes.push((await browser.call('POST', '/v1/sessions')).json().code);
    codes.push((await postSession(service, { ...OWN_PAGE, authorization: '' })).json().code);
    assert.deepEqual(codes, [
      'token.capability',
      'token.revoked',
      'token.expired',
      'session.ended',
      'token.missing',
      'token.missing',
    ]);
  });
});

describe('a session', () => {
  it('does all four steps of embedding on behalf of its token', async (t) => {
    const service = await openTestServer(t);
    const { call } = await signIn(service);
    const upload = await uploadTestDesign(service);
    const uri = (await call('GET', '/v1/designs')).json().items[0].uri;
    assert.equal(uri, upload.uri);
    const snippet = await call('POST', '/embed/iframe/v1', { uri });
    assert.match(snippet.body, /CLOCHE_EMBED_TOKEN/);
    const created = await call('POST', '/v1/tokens', CREATE_TOKEN_REQUEST);
    assert.equal(created.statusCode, 201, created.body);
    // The token is limited by the token of the session, not by the page and the end of the session.
    assert.deepEqual(created.json().origins, [SHOP_ORIGIN]);
    assert.equal(created.json().expiresAt, null);
  });

  it('has no more than its token: capabilities, designs, origins of new tokens', async (t) => {
    const service = await openTestServer(t);
    const design = await uploadTestDesign(service);
    const limits = { capabilities: ['read'], origins: [], designs: [UNKNOWN_DESIGN_ID] };
    const reader = await signIn(service, (await issueToken(service, limits)).token);
    const all = { capabilities: ['read', 'write', 'embed'], origins: [OWN_ORIGIN] };
    const writer = await signIn(service, (await issueToken(service, all)).token);
    const rename = await reader.call('POST', '/v1/tokens', CREATE_TOKEN_REQUEST);
    assert.equal(rename.json().code, 'token.capability');
    const { body } = await reader.call('GET', '/v1/sessions/current');
    assert.deepEqual(JSON.parse(body).designs, [UNKNOWN_DESIGN_ID]);
    assert.deepEqual(writer.session.origins, [OWN_ORIGIN]);
    const read = await reader.call('GET', `/v1/designs/${design.id}`);
    assert.equal(read.json().code, 'token.design');
    const create = await writer.call('POST', '/v1/tokens', CREATE_TOKEN_REQUEST);
    assert.equal(create.json().code, 'token.scope-exceeded');
  });

  const requests: [name: string, headers: Headers, allowed: boolean][] = [
    ['a page of the service', OWN_PAGE, true],
    ['its request without a Referer', { origin: OWN_ORIGIN }, true],
    ['its GET request', { 'sec-fetch-site': 'same-origin', referer: `${OWN_ORIGIN}/docs` }, true],
    ['its GET request over plain http', { referer: `${OWN_ORIGIN}/docs/api` }, true],
    ['another site', { origin: EVIL_ORIGIN, 'sec-fetch-site': 'cross-site' }, false],
    [
      'another host of our site',
      { origin: 'http://a.cloche.test', 'sec-fetch-site': 'same-site' },
      false,
    ],
    ['its GET request without a Referer', { 'sec-fetch-site': 'same-site' }, false],
    ['another site over plain http', { referer: `${EVIL_ORIGIN}/` }, false],
    ['another port', { origin: `${OWN_ORIGIN}:8080` }, false],
    ['a similar host', { referer: `${OWN_ORIGIN}.evil.example/` }, false],
    ['our origin in the path of another', { referer: `${EVIL_ORIGIN}/${OWN_ORIGIN}/` }, false],
    ['a sandboxed page', { ...OWN_PAGE, origin: 'null' }, false],
    ['an address that was typed', { 'sec-fetch-site': 'none' }, false],
    ['a program', {}, false],
  ];
  for (const [name, headers, allowed] of requests) {
    it(`${allowed ? 'is accepted from' : '403: is refused from'} ${name}`, async (t) => {
      const service = await openTestServer(t);
      const { call } = await signIn(service);
      const { id } = await uploadTestDesign(service);
      for (const [method, url, body] of [
        ['GET', '/v1/designs', undefined],
        ['PATCH', `/v1/designs/${id}`, { name: 'Changed' }],
        ['POST', '/v1/tokens', CREATE_TOKEN_REQUEST],
        ['DELETE', `/v1/designs/${id}`, undefined],
      ] as const) {
        const response = await call(method, url, body, headers);
        if (allowed) assert.ok(response.statusCode < 300, `${method}: ${response.body}`);
        else assert.deepEqual([response.statusCode, response.json().code], [403, 'token.origin']);
      }
    });
  }

  it('401: ends after twelve hours without a request, and after seven days', async (t) => {
    const service = await openTestServer(t);
    const idle = await signIn(service);
    service.advanceTime(12 * HOUR_MS + MINUTE_MS);
    assert.equal((await idle.call('GET', '/v1/designs')).json().code, 'session.ended');
    const used = await signIn(service);
    for (let hours = 0; hours < 7 * 24 - 8; hours += 8) {
      service.advanceTime(8 * HOUR_MS);
      assert.equal((await used.call('GET', '/v1/designs')).statusCode, 200, `${hours}`);
    }
    service.advanceTime(8 * HOUR_MS);
    assert.equal((await used.call('GET', '/v1/designs')).json().code, 'session.ended');
  });

  it('401: ends with its token: revoked, expired, replaced, its user disabled', async (t) => {
    const service = await openTestServer(t);
    const expiresAt = new Date(Date.now() + 2 * HOUR_MS).toISOString();
    const scope = { capabilities: ['read', 'write'], origins: [] };
    const revoked = await issueToken(service, scope);
    const replaced = await issueToken(service, scope);
    const expiring = await issueToken(service, { ...scope, expiresAt });
    const browsers = [
      await signIn(service, revoked.token),
      await signIn(service, replaced.token),
      await signIn(service, expiring.token),
    ];
    assert.equal(browsers[2]?.session.expiresAt, expiresAt);
    for (const { call } of browsers)
      assert.equal((await call('GET', '/v1/designs')).statusCode, 200);
    await sendRequest(service, 'DELETE', `/v1/tokens/${revoked.id}`);
    await sendRequest(service, 'POST', `/v1/tokens/${replaced.id}/rotate`);
    service.advanceTime(2 * HOUR_MS);
    const codes: unknown[] = [];
    for (const { call } of browsers) codes.push((await call('GET', '/v1/designs')).json().code);
    assert.deepEqual(codes, ['token.revoked', 'session.ended', 'session.ended']);
  });

  it('401: every change to its cookie, and two cookies', async (t) => {
    const service = await openTestServer(t);
    const { cookie, session } = await signIn(service);
    const other = await signIn(service);
    const lastLetter = cookie.endsWith('A') ? 'B' : 'A';
    for (const [text, code] of [
      [cookie.slice(0, -1), 'session.ended'],
      [cookie.slice(0, -1) + lastLetter, 'session.ended'],
      [`${cookie}A`, 'session.ended'],
      [cookie.toLowerCase(), 'session.ended'],
      [`${cookie}; ${other.cookie}`, 'token.missing'],
      [`x${cookie}`, 'token.missing'],
      ['', 'token.missing'],
    ] as const) {
      const { call } = openBrowser(service, text, session);
      const response = await call('GET', '/v1/designs');
      assert.deepEqual([response.statusCode, response.json().code], [401, code], text);
    }
    const { call } = openBrowser(service, `a=b; ${cookie}; c="d"`, session);
    assert.equal((await call('GET', '/v1/designs')).statusCode, 200);
  });

  it('does not embed, and is no token', async (t) => {
    const service = await openTestServer(t);
    const { cookie } = await signIn(service);
    const secret = cookie.split('=')[1] ?? '';
    const response = await sendRequest({ ...service, token: secret }, 'GET', '/v1/designs');
    assert.equal(response.json().code, 'token.malformed');
  });
});

describe('GET /v1/sessions/current', () => {
  it('204: a page of the service, in a browser that is not signed in', async (t) => {
    const service = await openTestServer(t);
    const read = (headers: Headers) =>
      sendRequest(service, 'GET', '/v1/sessions/current', undefined, headers);
    const signedOut = { ...OWN_PAGE, authorization: '' };
    const response = await read(signedOut);
    assert.deepEqual([response.statusCode, response.body], [204, '']);
    assert.equal(response.headers['cache-control'], 'no-store');
    const { cookie, session } = await signIn(service);
    assert.equal((await read({ ...signedOut, cookie })).json().id, session.id);
    const rows: [headers: Headers, code: string][] = [
      [{ authorization: '' }, 'token.missing'],
      [{ ...signedOut, referer: EVIL_ORIGIN }, 'token.missing'],
      [{ ...OWN_PAGE, authorization: 'Bearer x' }, 'token.malformed'],
      [{ ...signedOut, cookie: `${cookie}A` }, 'session.ended'],
    ];
    for (const [headers, code] of rows) assert.equal((await read(headers)).json().code, code);
    const ids = sendRequest(service, 'GET', `/v1/sessions/${session.id}`, undefined, signedOut);
    assert.equal((await ids).json().code, 'token.missing');
  });
});

describe('the sessions that are listed', () => {
  it('are those of the user, newest first, with browser and times', async (t) => {
    const service = await openTestServer(t);
    const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0';
    const first = await postSession(service, { ...OWN_PAGE, 'user-agent': userAgent });
    service.advanceTime(5 * MINUTE_MS);
    const second = await signIn(service);
    service.advanceTime(5 * MINUTE_MS);
    await openBrowser(service, readCookie(first), first.json()).call('GET', '/v1/designs');
    const { items, nextCursor } = (await second.call('GET', '/v1/sessions')).json();
    assert.deepEqual(
      items.map(({ id, current, userAgent }: Session) => [id, current, userAgent]),
      [
        [second.session.id, true, 'Unknown browser on an unknown system'],
        [first.json().id, false, 'Firefox on Linux'],
      ],
    );
    assert.equal(nextCursor, null);
    const [, { createdAt, lastUsedAt }] = items;
    assert.ok(Date.parse(lastUsedAt) - Date.parse(createdAt) >= 10 * MINUTE_MS);
    const page = (await sendRequest(service, 'GET', '/v1/sessions?limit=1')).json();
    assert.equal(page.items.length, 1);
    const rest = await sendRequest(service, 'GET', `/v1/sessions?cursor=${page.nextCursor}`);
    assert.deepEqual(
      rest.json().items.map(({ id }: Session) => id),
      [first.json().id],
    );
    assert.equal((await second.call('GET', '/v1/sessions/current')).json().id, second.session.id);
  });

  it('can be ended: one, the own one, all', async (t) => {
    const service = await openTestServer(t);
    const [first, second, third] = [
      await signIn(service),
      await signIn(service),
      await signIn(service),
    ];
    const read = async ({ call }: typeof first) => (await call('GET', '/v1/designs')).statusCode;
    assert.deepEqual([await read(first), await read(second), await read(third)], [200, 200, 200]);
    const revoked = await second.call('DELETE', `/v1/sessions/${first.session.id}`);
    assert.deepEqual([revoked.statusCode, revoked.headers['set-cookie']], [204, undefined]);
    assert.deepEqual([await read(first), await read(second)], [401, 200]);
    const signedOut = await second.call('DELETE', '/v1/sessions/current');
    assert.equal(signedOut.statusCode, 204);
    assert.match(
      String(signedOut.headers['set-cookie']),
      /^cloche-session-80=; Max-Age=0; Path=\//,
    );
    assert.deepEqual([await read(second), await read(third)], [401, 200]);
    const fourth = await signIn(service);
    assert.equal((await fourth.call('DELETE', '/v1/sessions')).statusCode, 204);
    assert.deepEqual([await read(third), await read(fourth)], [401, 401]);
    assert.deepEqual((await sendRequest(service, 'GET', '/v1/sessions')).json().items, []);
  });

  it('are not those of tokens outside the limits of the token; one that only reads ends its own', async (t) => {
    const service = await openTestServer(t);
    const owner = await signIn(service);
    const limited = await issueToken(service, {
      capabilities: ['read', 'write'],
      origins: [],
      designs: [UNKNOWN_DESIGN_ID],
    });
    const reader = await issueToken(service, { capabilities: ['read'], origins: [] });
    const asLimited = await signIn(service, limited.token);
    const { items } = (await asLimited.call('GET', '/v1/sessions')).json();
    assert.deepEqual(
      items.map(({ id }: Session) => id),
      [asLimited.session.id],
    );
    const url = `/v1/sessions/${owner.session.id}`;
    for (const method of ['GET', 'DELETE'] as const)
      assert.equal((await asLimited.call(method, url)).json().code, 'session.unknown');
    await asLimited.call('DELETE', '/v1/sessions');
    assert.equal((await owner.call('GET', '/v1/designs')).statusCode, 200);
    const asReader = await signIn(service, reader.token);
    assert.equal((await asReader.call('DELETE', url)).json().code, 'token.capability');
    assert.equal((await asReader.call('DELETE', '/v1/sessions')).json().code, 'token.capability');
    assert.equal((await asReader.call('DELETE', '/v1/sessions/current')).statusCode, 204);
    assert.equal((await sendRequest(service, 'GET', '/v1/sessions/current')).statusCode, 404);
  });

  it('are 100 for a token at most: the oldest end', async (t) => {
    const service = await openTestServer(t);
    const first = await signIn(service);
    for (let index = 0; index < 99; index += 1) await signIn(service);
    assert.equal((await first.call('GET', '/v1/designs')).statusCode, 200);
    await signIn(service);
    assert.equal((await first.call('GET', '/v1/designs')).json().code, 'session.ended');
  });
});

describe('describeUserAgent', () => {
  const mac =
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
  for (const [header, expected] of [
    [`${mac} Version/18.0 Safari/605.1.15`, 'Safari on macOS'],
    [`${mac} Chrome/156.0.0.0 Safari/537.36`, 'Chrome on macOS'],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/156.0 Safari/537.36 Edg/156.0',
      'Edge on Windows',
    ],
    ['Mozilla/5.0 (Linux; Android 15) Chrome/156.0 Mobile Safari/537.36', 'Chrome on Android'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) FxiOS/150.0 Safari/605',
      'Firefox on iOS',
    ],
    ['<script>alert(1)</script>', 'Unknown browser on an unknown system'],
  ] as const)
    it(expected, () => assert.equal(describeUserAgent(header), expected));
});
