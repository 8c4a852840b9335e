import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestServer } from '../../testing/harness.ts';
import {
  HOST_HEADER,
  issueToken,
  openServerDatabase,
  SHOP_ORIGIN,
  sendRequest,
  uploadTestDesign,
} from '../../testing/requests.ts';

const UNKNOWN_DESIGN_ID = '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55';
const FAIR = 'https://fair.example';
const HOUR = 60 * 60 * 1000;

test('200: says of every page what the gate does', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { id, token } = await issueToken(service, {
    origins: [SHOP_ORIGIN, 'https://*.fair.example', 'http://localhost:*'],
  });
  const pages: [page: string, shows: boolean][] = [
    [SHOP_ORIGIN, true],
    ['https://www.fair.example', true],
    ['https://a.b.fair.example', true],
    ['http://localhost:5173', true],
    [FAIR, false],
    ['http://shop.example', false],
    ['https://www.shop.example', false],
    ['https://shop.example:8443', false],
    ['https://shop.example.evil.example', false],
    ['https://localhost:5173', false],
    ['null', false],
    ['', false],
    ['nonsense', false],
    ['https://[::1]', false],
  ];
  for (const [page, shows] of pages) {
    for (const which of [{ token }, { tokenId: id }]) {
      const wish = { ...which, design: design.id, ancestors: [page] };
      const answer = await sendRequest(service, 'POST', '/v1/tokens/check', wish);
      assert.equal(answer.statusCode, 200, answer.body);
      assert.equal(answer.json().allowed, shows, page);
      assert.equal(answer.json().code, shows ? null : 'embed.origin', page);

      const gate = await service.app.inject({
        url: `/embed/iframe/v1/${design.id}?token=${token}`,
        headers: {
          ...HOST_HEADER,
          accept: 'application/json',
          'sec-fetch-dest': 'iframe',
          referer: `${page}/`,
        },
      });
      assert.equal(gate.statusCode === 200, shows, page);
      if (!shows) assert.equal(gate.json().detail, answer.json().detail, page);
    }
  }
});

test('200: every page around the embed counts, as browsers have it', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { id } = await issueToken(service, { origins: [SHOP_ORIGIN, FAIR] });
  const rows: [ancestors: string[], stranger: string | undefined][] = [
    [[SHOP_ORIGIN, FAIR], undefined],
    [[SHOP_ORIGIN, SHOP_ORIGIN, SHOP_ORIGIN], undefined],
    [[SHOP_ORIGIN, 'https://evil.example'], 'https://evil.example'],
    [[SHOP_ORIGIN, 'https://evil.example', FAIR], 'https://evil.example'],
    [['https://evil.example', SHOP_ORIGIN], 'https://evil.example'],
    [[SHOP_ORIGIN, 'null'], 'null'],
  ];
  for (const [ancestors, stranger] of rows) {
    const wish = { tokenId: id, design: design.id, ancestors };
    const { allowed, code, detail } = (
      await sendRequest(service, 'POST', '/v1/tokens/check', wish)
    ).json();
    assert.equal(allowed, stranger === undefined, ancestors.join());
    assert.equal(code, stranger === undefined ? null : 'embed.origin');
    if (stranger !== undefined) assert.ok(detail.startsWith(stranger), detail);
  }
});

test('200: the address of a page stands for its origin', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { id } = await issueToken(service, { origins: [SHOP_ORIGIN] });
  for (const [page, shows] of [
    [`${SHOP_ORIGIN}/`, true],
    [`${SHOP_ORIGIN}/chairs?id=7#top`, true],
    [`${SHOP_ORIGIN}@evil.example/`, false],
    ['https://www.shop.example/chairs', false],
  ] as const) {
    const wish = { tokenId: id, design: design.id, ancestors: [page, page] };
    const answer = (await sendRequest(service, 'POST', '/v1/tokens/check', wish)).json();
    assert.equal(answer.allowed, shows, `${page} ${answer.detail}`);
  }
});

test('200: what else keeps an embed from showing has its own code', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const expiresAt = new Date(Date.now() + HOUR).toISOString();
  const short = await issueToken(service, { expiresAt });
  const gone = await issueToken(service);
  await sendRequest(service, 'DELETE', `/v1/tokens/${gone.id}`);
  const secret = await issueToken(service, { capabilities: ['read', 'embed'] });
  const bound = await issueToken(service, { designs: [UNKNOWN_DESIGN_ID] });
  const live = await issueToken(service);
  service.advanceTime(HOUR + 1);
  const rows: [id: string, design: string, code: string][] = [
    [short.id, design.id, 'token.expired'],
    [gone.id, design.id, 'token.revoked'],
    [secret.id, design.id, 'embed.secret-token'],
    [bound.id, design.id, 'token.design'],
    [live.id, UNKNOWN_DESIGN_ID, 'design.unknown'],
  ];
  for (const [id, shown, code] of rows) {
    const wish = { tokenId: id, design: shown, ancestors: [SHOP_ORIGIN] };
    const answer = await sendRequest(service, 'POST', '/v1/tokens/check', wish);
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.json().allowed, false);
    assert.equal(answer.json().code, code);
  }
});

test('200: advice comes along, though nothing is wrong', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { id } = await issueToken(service, { origins: ['http://shop.example'] });
  const wish = { tokenId: id, design: design.id, ancestors: ['http://shop.example'] };
  const { allowed, warnings } = (
    await sendRequest(service, 'POST', '/v1/tokens/check', wish)
  ).json();
  assert.equal(allowed, true);
  assert.match(warnings.join(' '), /plain http/);
  assert.match(warnings.join(' '), /www\.shop\.example/);
});

test('404: only tokens of one’s own are told about', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const theirs = await issueToken(service);
  const database = openServerDatabase(t, service);
  database.exec("INSERT INTO user VALUES ('usr_other', '2026-01-01T00:00:00.000Z')");
  database.exec(`UPDATE token SET user_id = 'usr_other' WHERE id = '${theirs.id}'`);
  for (const which of [
    { tokenId: theirs.id },
    { token: theirs.token },
    { tokenId: 'tok_none' },
    { token: 'hello' },
    { token: '' },
  ]) {
    const wish = { ...which, design: design.id, ancestors: [SHOP_ORIGIN] };
    const answer = await sendRequest(service, 'POST', '/v1/tokens/check', wish);
    assert.equal(answer.statusCode, 404, JSON.stringify(which));
    assert.equal(answer.json().code, 'token.not-found');
  }
});

test('400: a question that is not one', async (t) => {
  const service = await openTestServer(t);
  const { id, token } = await issueToken(service);
  const wish = { tokenId: id, design: UNKNOWN_DESIGN_ID, ancestors: [SHOP_ORIGIN] };
  const rows: [body: object, field: string][] = [
    [{ design: UNKNOWN_DESIGN_ID, ancestors: [SHOP_ORIGIN] }, 'token'],
    [{ ...wish, token }, 'token'],
    [{ ...wish, ancestors: [] }, 'ancestors'],
    [{ ...wish, ancestors: SHOP_ORIGIN }, 'ancestors'],
    [{ ...wish, ancestors: Array(21).fill(SHOP_ORIGIN) }, 'ancestors'],
    [{ ...wish, ancestors: [1] }, 'ancestors[0]'],
    [{ ...wish, design: 'chair' }, 'design'],
    [{ ...wish, page: SHOP_ORIGIN }, 'page'],
  ];
  for (const [body, field] of rows) {
    const answer = await sendRequest(service, 'POST', '/v1/tokens/check', body);
    assert.equal(answer.statusCode, 400, JSON.stringify(body));
    assert.equal(answer.json().field, field);
  }
});
