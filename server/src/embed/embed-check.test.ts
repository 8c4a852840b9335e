import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectOriginWarnings } from '@cloche/contract/origin-warnings';
import { openTestServer } from '../../testing/harness.ts';
import {
  HOST_HEADER,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  UNKNOWN_DESIGN_ID,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';
import { domainRules } from '../tokens/origins.ts';

const FAIR_ORIGIN = 'https://fair.example';
const HOUR_MS = 60 * 60 * 1000;

test('200: the result is the same as for visitors of the page', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { id, token } = await issueToken(service, {
    origins: [SHOP_ORIGIN, 'https://*.fair.example', 'http://localhost:*'],
  });
  const pages: [page: string, isAllowed: boolean][] = [
    [SHOP_ORIGIN, true],
    ['https://www.fair.example', true],
    ['https://a.b.fair.example', true],
    ['http://localhost:5173', true],
    [FAIR_ORIGIN, false],
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
  for (const [page, isAllowed] of pages) {
    for (const reference of [{ token }, { tokenId: id }]) {
      const body = { ...reference, design: design.id, ancestors: [page] };
      const response = await sendRequest(service, 'POST', '/v1/tokens/check', body);
      assert.equal(response.statusCode, 200, response.body);
      assert.equal(response.json().allowed, isAllowed, page);
      assert.equal(response.json().code, isAllowed ? null : 'embed.origin', page);

      const framedDocument = await service.app.inject({
        url: `/embed/iframe/v1/${design.id}?token=${token}`,
        headers: {
          ...HOST_HEADER,
          accept: 'application/json',
          'sec-fetch-dest': 'iframe',
          referer: `${page}/`,
        },
      });
      assert.equal(framedDocument.statusCode === 200, isAllowed, page);
      if (!isAllowed) assert.equal(framedDocument.json().detail, response.json().detail, page);
    }
  }
});

test('200: the result is the same as for iframes that hide their page', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const http = 'http://shop.example';
  const rows: [origins: string[], ancestors: string[], code: string | null, isShown?: boolean][] = [
    [[SHOP_ORIGIN], [SHOP_ORIGIN], null],
    [[SHOP_ORIGIN, http], [SHOP_ORIGIN], null],
    [[SHOP_ORIGIN, http], [http], 'embed.unverified-origin'],
    [[SHOP_ORIGIN, http], [SHOP_ORIGIN, http], 'embed.unverified-origin', false],
    [[SHOP_ORIGIN, http], [FAIR_ORIGIN], 'embed.origin'],
    [[http], [http], 'embed.unverified-origin'],
    [['http://localhost:*'], ['http://localhost:5173'], 'embed.unverified-origin'],
  ];
  for (const [origins, ancestors, code, isShownWithReferrer = code !== 'embed.origin'] of rows) {
    const { id, token } = await issueToken(service, { origins });
    const body = { tokenId: id, design: design.id, ancestors, hidesReferrer: true };
    const check = (await sendRequest(service, 'POST', '/v1/tokens/check', body)).json();
    assert.equal(check.code, code, JSON.stringify([origins, ancestors]));
    const shown = { ...body, hidesReferrer: false };
    const withReferrer = (await sendRequest(service, 'POST', '/v1/tokens/check', shown)).json();
    assert.equal(withReferrer.allowed, isShownWithReferrer, withReferrer.detail);

    const framedDocument = await service.app.inject({
      url: `/embed/iframe/v1/${design.id}?token=${token}`,
      headers: { ...HOST_HEADER, accept: 'application/json', 'sec-fetch-dest': 'iframe' },
    });
    const policy = `${framedDocument.headers['content-security-policy']}`;
    const [, sources = ''] = /^frame-ancestors ([^;]*)/.exec(policy) ?? [];
    const isShown = ancestors.every((ancestor) => sources.split(' ').includes(ancestor));
    assert.equal(isShown, check.allowed, `${sources} for ${ancestors}`);
  }
});

test('200: every ancestor must be listed, as in browsers', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { id } = await issueToken(service, { origins: [SHOP_ORIGIN, FAIR_ORIGIN] });
  const rows: [ancestors: string[], disallowed: string | undefined][] = [
    [[SHOP_ORIGIN, FAIR_ORIGIN], undefined],
    [[SHOP_ORIGIN, SHOP_ORIGIN, SHOP_ORIGIN], undefined],
    [[SHOP_ORIGIN, 'https://evil.example'], 'https://evil.example'],
    [[SHOP_ORIGIN, 'https://evil.example', FAIR_ORIGIN], 'https://evil.example'],
    [['https://evil.example', SHOP_ORIGIN], 'https://evil.example'],
    [[SHOP_ORIGIN, 'null'], 'null'],
  ];
  for (const [ancestors, disallowed] of rows) {
    const body = { tokenId: id, design: design.id, ancestors };
    const { allowed, code, detail } = (
      await sendRequest(service, 'POST', '/v1/tokens/check', body)
    ).json();
    assert.equal(allowed, disallowed === undefined, ancestors.join());
    assert.equal(code, disallowed === undefined ? null : 'embed.origin');
    if (disallowed !== undefined) assert.ok(detail.startsWith(disallowed), detail);
  }
});

test('200: the URL of a page is accepted in place of its origin', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { id } = await issueToken(service, { origins: [SHOP_ORIGIN] });
  for (const [page, isAllowed] of [
    [`${SHOP_ORIGIN}/`, true],
    [`${SHOP_ORIGIN}/chairs?id=7#top`, true],
    [`${SHOP_ORIGIN}@evil.example/`, false],
    ['https://www.shop.example/chairs', false],
  ] as const) {
    const body = { tokenId: id, design: design.id, ancestors: [page, page] };
    const response = (await sendRequest(service, 'POST', '/v1/tokens/check', body)).json();
    assert.equal(response.allowed, isAllowed, `${page} ${response.detail}`);
  }
});

test('200: each other reason has its own code', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
  const expiring = await issueToken(service, { expiresAt });
  const revoked = await issueToken(service);
  await sendRequest(service, 'DELETE', `/v1/tokens/${revoked.id}`);
  const secret = await issueToken(service, { capabilities: ['read', 'embed'] });
  const limited = await issueToken(service, { designs: [UNKNOWN_DESIGN_ID] });
  const active = await issueToken(service);
  service.advanceTime(HOUR_MS + 1);
  const rows: [id: string, design: string, code: string][] = [
    [expiring.id, design.id, 'token.expired'],
    [revoked.id, design.id, 'token.revoked'],
    [secret.id, design.id, 'embed.secret-token'],
    [limited.id, design.id, 'token.design'],
    [active.id, UNKNOWN_DESIGN_ID, 'design.unknown'],
  ];
  for (const [id, designId, code] of rows) {
    const body = { tokenId: id, design: designId, ancestors: [SHOP_ORIGIN] };
    const response = await sendRequest(service, 'POST', '/v1/tokens/check', body);
    assert.equal(response.statusCode, 200);
    assert.equal(response.json().allowed, false);
    assert.equal(response.json().code, code);
  }
});

test('200: warnings about the origins, even if the embed is shown', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { id } = await issueToken(service, { origins: ['http://shop.example'] });
  const body = { tokenId: id, design: design.id, ancestors: ['http://shop.example'] };
  const { allowed, warnings } = (
    await sendRequest(service, 'POST', '/v1/tokens/check', body)
  ).json();
  assert.equal(allowed, true);
  const expected = collectOriginWarnings(['http://shop.example'], domainRules);
  assert.deepEqual(
    expected.map(({ code }) => code),
    ['plain-http', 'www-missing'],
  );
  assert.deepEqual(
    warnings,
    expected.map(({ detail }) => detail),
  );
});

test('404: tokens of other users, and tokens that do not exist', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const otherToken = await issueToken(service);
  const database = connectToServerDatabase(t, service);
  await database.exec(
    `INSERT INTO "user" (id, created_at) VALUES ('usr_other', '2026-01-01T00:00:00.000Z')`,
  );
  await database.exec(`UPDATE token SET user_id = 'usr_other' WHERE id = '${otherToken.id}'`);
  for (const reference of [
    { tokenId: otherToken.id },
    { token: otherToken.token },
    { tokenId: 'tok_none' },
    { token: 'hello' },
    { token: '' },
  ]) {
    const body = { ...reference, design: design.id, ancestors: [SHOP_ORIGIN] };
    const response = await sendRequest(service, 'POST', '/v1/tokens/check', body);
    assert.equal(response.statusCode, 404, JSON.stringify(reference));
    assert.equal(response.json().code, 'token.not-found');
  }
});

test('400: invalid requests', async (t) => {
  const service = await openTestServer(t);
  const { id, token } = await issueToken(service);
  const body = { tokenId: id, design: UNKNOWN_DESIGN_ID, ancestors: [SHOP_ORIGIN] };
  const rows: [invalidBody: object, field: string][] = [
    [{ design: UNKNOWN_DESIGN_ID, ancestors: [SHOP_ORIGIN] }, 'token'],
    [{ ...body, token }, 'token'],
    [{ ...body, ancestors: [] }, 'ancestors'],
    [{ ...body, ancestors: SHOP_ORIGIN }, 'ancestors'],
    [{ ...body, ancestors: Array(21).fill(SHOP_ORIGIN) }, 'ancestors'],
    [{ ...body, ancestors: [1] }, 'ancestors[0]'],
    [{ ...body, design: 'chair' }, 'design'],
    [{ ...body, page: SHOP_ORIGIN }, 'page'],
  ];
  for (const [invalidBody, field] of rows) {
    const response = await sendRequest(service, 'POST', '/v1/tokens/check', invalidBody);
    assert.equal(response.statusCode, 400, JSON.stringify(invalidBody));
    assert.equal(response.json().field, field);
  }
});
