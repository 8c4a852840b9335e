import assert from 'node:assert/strict';
import { describe, it, type TestContext, test } from 'node:test';
import type { PreviewLink } from '@cloche/contract/preview-link';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import {
  GLB_HEADERS,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  UNKNOWN_DESIGN_ID,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { Signer } from '../http/signer.ts';
import { GrantSigner } from './asset-grant.ts';
import { PREVIEW_LINK_PURPOSE, signPreviewPermission } from './preview-link.ts';

const OWN_ORIGIN = 'http://cloche.test';
const EVIL_ORIGIN = 'https://evil.example';
/** A request for the document by an iframe in the page of the link. */
const OWN_IFRAME = {
  'sec-fetch-dest': 'iframe',
  'sec-fetch-site': 'same-origin',
  referer: `${OWN_ORIGIN}/`,
};
const MINUTE_MS = 60_000;
const GRANT_KEY = Buffer.alloc(32, 7);

async function setUp(t: TestContext) {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service, 'Oak <chair>');
  return { service, design, link: await createLink(service, design.id) };
}

async function createLink(
  service: TestServer,
  designId: string,
  token = service.token,
): Promise<PreviewLink> {
  const path = `/v1/designs/${designId}/preview-links`;
  const response = await sendRequest({ ...service, token }, 'POST', path);
  assert.equal(response.statusCode, 200, response.body);
  return response.json();
}

async function open(
  { app }: TestServer,
  url: string,
  headers: Record<string, string> = OWN_IFRAME,
  accept = 'application/json',
) {
  const response = await app.inject({
    url: url.replace(OWN_ORIGIN, ''),
    headers: { host: 'cloche.test', accept, ...headers },
  });
  const { code, reason, detail } = response.statusCode >= 400 ? response.json() : {};
  return { response, status: response.statusCode, code, reason, detail: String(detail) };
}

const openPage = ({ app }: TestServer, url: string, headers: Record<string, string> = {}) =>
  app.inject({
    url: url.replace(OWN_ORIGIN, ''),
    headers: { host: 'cloche.test', accept: 'text/html', ...headers },
  });

const toViewerConfig = (html: string): ViewerConfig =>
  JSON.parse(/id="viewer-config">(.*?)<\/script>/.exec(html)?.[1] ?? '');

describe('POST /v1/designs/{id}/preview-links', () => {
  it('200: two URLs of this service, valid for ten minutes', async (t) => {
    const before = Date.now();
    const { design, link } = await setUp(t);
    const signed = new URL(link.url).searchParams.get('link') ?? '';
    assert.equal(link.url, `${OWN_ORIGIN}/preview/${design.id}?link=${signed}`);
    assert.equal(link.src, `${OWN_ORIGIN}/embed/preview/v1/${design.id}?link=${signed}`);
    assert.match(signed, /^[\w.-]+$/, 'is safe in a URL');
    const lifetimeMs = Date.parse(link.expiresAt) - before;
    assert.ok(lifetimeMs >= 10 * MINUTE_MS && lifetimeMs < 11 * MINUTE_MS, `${lifetimeMs}`);
  });

  it('200: a link does not outlive its token', async (t) => {
    const { service, design } = await setUp(t);
    const expiresAt = new Date(Date.now() + 2 * MINUTE_MS).toISOString();
    const { token } = await issueToken(service, { capabilities: ['read'], origins: [], expiresAt });
    assert.equal((await createLink(service, design.id, token)).expiresAt, expiresAt);
  });

  const refusals: [name: string, scope: object, status: number, code: string][] = [
    ['a token without read', { capabilities: ['write'] }, 403, 'token.capability'],
    ['a public token', { capabilities: ['embed'] }, 403, 'token.capability'],
    ['a token for other designs', { designs: [UNKNOWN_DESIGN_ID] }, 403, 'token.design'],
  ];
  for (const [name, scope, status, code] of refusals) {
    it(`${status}: ${name}`, async (t) => {
      const { service, design } = await setUp(t);
      const isPublic = name === 'a public token';
      const { token } = await issueToken(service, {
        capabilities: ['read'],
        origins: isPublic ? [SHOP_ORIGIN] : [],
        ...scope,
      });
      const path = `/v1/designs/${design.id}/preview-links`;
      const headers: Record<string, string> = isPublic ? { origin: SHOP_ORIGIN } : {};
      const response = await sendRequest({ ...service, token }, 'POST', path, undefined, headers);
      assert.deepEqual([response.statusCode, response.json().code], [status, code]);
    });
  }

  it('404: an unknown design; 400: a body with a field', async (t) => {
    const { service, design } = await setUp(t);
    const post = (id: string, body?: object) =>
      sendRequest(service, 'POST', `/v1/designs/${id}/preview-links`, body);
    assert.equal((await post(UNKNOWN_DESIGN_ID)).json().code, 'design.unknown');
    assert.equal((await post(design.id, {})).statusCode, 200);
    const invalid = await post(design.id, { minutes: 60 });
    assert.deepEqual([invalid.statusCode, invalid.json().code], [400, 'request.invalid']);
  });
});

describe('a preview link of a revision', () => {
  it('200: shows it and loads its model, until the revision is deleted', async (t) => {
    const { service, design } = await setUp(t);
    const path = `/v1/designs/${design.id}`;
    const bytes = makeBox({ name: 'other' });
    const put = await sendRequest(service, 'PUT', `${path}/model`, bytes, GLB_HEADERS);
    assert.equal(put.statusCode, 200, put.body);
    const links = `${path}/preview-links`;
    const create = async (body: object): Promise<PreviewLink> =>
      (await sendRequest(service, 'POST', links, body)).json();
    const readConfig = async ({ src }: PreviewLink) =>
      toViewerConfig((await open(service, src)).response.body);
    const older = await create({ revision: 1 });
    const [first, current] = [await readConfig(older), await readConfig(await create({}))];
    assert.notEqual(first.model.url, current.model.url);
    const { url } = first.model;
    const headers = { host: 'cloche.test', 'cloche-grant': first.grant };
    assert.equal((await service.app.inject({ url, headers })).statusCode, 200);

    assert.equal((await sendRequest(service, 'DELETE', `${path}/revisions/1`)).statusCode, 204);
    const { status, code, reason } = await open(service, older.src);
    assert.deepEqual([status, code, reason], [403, 'embed.preview-link', 'revision']);
    assert.equal((await service.app.inject({ url, headers })).json().code, 'embed.grant');
  });

  it('400: a revision that the design does not have', async (t) => {
    const { service, design } = await setUp(t);
    await uploadTestDesign(service, 'Another');
    for (const revision of [0, 2, 2 ** 31, 1e300, '1']) {
      const url = `/v1/designs/${design.id}/preview-links`;
      const response = await sendRequest(service, 'POST', url, { revision });
      assert.deepEqual(
        [response.statusCode, response.json().code],
        [400, 'request.invalid'],
        response.body,
      );
    }
  });
});

describe('the page of a preview link', () => {
  it('200: opened as a page, from any site or none', async (t) => {
    const { service, link } = await setUp(t);
    for (const headers of [
      {},
      { 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none' },
      { 'sec-fetch-dest': 'document', 'sec-fetch-site': 'cross-site', referer: `${EVIL_ORIGIN}/` },
    ] as Record<string, string>[]) {
      const { statusCode, body } = await openPage(service, link.url, headers);
      assert.equal(statusCode, 200, body);
      assert.ok(body.includes(`<iframe src="${link.src.replace(OWN_ORIGIN, '')}"`));
      assert.ok(body.includes('<h1><bdi>Oak &lt;chair&gt;</bdi></h1>'));
      assert.ok(!body.includes('<script'));
    }
  });

  it('200: no page may frame it, nothing is stored, and no other site sees the URL', async (t) => {
    const { service, link } = await setUp(t);
    const { headers } = await openPage(service, link.url);
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /^default-src 'none'; frame-src 'self'; style-src 'sha256-[^']+';/);
    assert.match(policy, /frame-ancestors 'none'$/);
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['referrer-policy'], 'strict-origin');
  });

  it('403: a refusal has no data of the design, and any page may frame it', async (t) => {
    const { service, link } = await setUp(t);
    service.advanceTime(11 * MINUTE_MS);
    const { statusCode, body } = await openPage(service, link.url);
    assert.equal(statusCode, 403);
    assert.ok(body.includes('embed.preview-link') && !body.includes('Oak'), body);
  });
});

describe('the framed document of a preview link', () => {
  it('200: in a page of this service only', async (t) => {
    const { service, design, link } = await setUp(t);
    const { response } = await open(service, link.src);
    assert.equal(response.statusCode, 200, response.body);
    const policy = String(response.headers['content-security-policy']);
    assert.match(policy, /^frame-ancestors 'self'; default-src 'none'; /);
    assert.equal(response.headers['cross-origin-resource-policy'], 'same-origin');
    assert.equal(response.headers['cache-control'], 'no-store');
    const config = toViewerConfig(response.body);
    assert.deepEqual(config.allowedOrigins, [OWN_ORIGIN]);
    assert.equal(config.design.id, design.id);
    assert.ok(!response.body.includes(service.token.slice(10)));
  });

  it('200: its grant loads the model, until the token is revoked', async (t) => {
    const { service, design } = await setUp(t);
    const parent = await issueToken(service, { capabilities: ['read'], origins: [] });
    const link = await createLink(service, design.id, parent.token);
    const { grant, model } = toViewerConfig((await open(service, link.src)).response.body);
    const getModel = () =>
      service.app.inject({
        url: model.url,
        headers: { host: 'cloche.test', 'cloche-grant': grant },
      });
    assert.equal((await getModel()).statusCode, 200);
    await sendRequest(service, 'DELETE', `/v1/tokens/${parent.id}`);
    assert.equal((await getModel()).json().code, 'token.revoked');
    assert.equal((await open(service, link.src)).code, 'token.revoked');
    assert.equal((await open(service, link.url)).code, 'token.revoked');
  });

  const refusals: [name: string, code: string, headers: Record<string, string>][] = [
    ['framed by another site', 'embed.origin', { ...OWN_IFRAME, referer: `${EVIL_ORIGIN}/` }],
    [
      'framed by another site that hides its Referer',
      'embed.unverified-origin',
      { 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'cross-site' },
    ],
    [
      'framed by another host of the same site',
      'embed.origin',
      { ...OWN_IFRAME, 'sec-fetch-site': 'same-site', referer: 'http://a.cloche.test/' },
    ],
    ['an Origin of another site', 'embed.origin', { ...OWN_IFRAME, origin: EVIL_ORIGIN }],
    ['an opaque Origin', 'embed.origin', { ...OWN_IFRAME, origin: 'null' }],
    ['opened as a page', 'embed.not-an-iframe', { ...OWN_IFRAME, 'sec-fetch-dest': 'document' }],
    ['fetched by a script', 'embed.not-an-iframe', { ...OWN_IFRAME, 'sec-fetch-dest': 'empty' }],
    ['no evidence of the page', 'embed.unverified-origin', {}],
    ['a prefetch', 'embed.prefetch', { ...OWN_IFRAME, 'sec-purpose': 'prefetch' }],
  ];
  for (const [name, code, headers] of refusals) {
    it(`403 ${code}: ${name}`, async (t) => {
      const { service, link } = await setUp(t);
      const refusal = await open(service, link.src, headers);
      assert.deepEqual([refusal.status, refusal.code], [403, code]);
      assert.ok(!refusal.detail.includes('Add '), refusal.detail);
    });
  }

  it('200: over plain http, where browsers send no Sec-Fetch headers', async (t) => {
    const { service, link } = await setUp(t);
    const { status } = await open(service, link.src, { referer: `${OWN_ORIGIN}/preview/x` });
    assert.equal(status, 200);
  });

  it('421: another host', async (t) => {
    const { service, link } = await setUp(t);
    for (const url of [link.url, link.src]) {
      const refusal = await open(service, url, { ...OWN_IFRAME, host: 'evil.example' });
      assert.deepEqual([refusal.status, refusal.code], [421, 'request.wrong-host']);
    }
  });
});

describe('a preview link', () => {
  const permission = { tokenId: 'tok_x', expiresAt: new Date(Date.now() + MINUTE_MS) };

  it('403: is refused for every change to its text', async (t) => {
    const { service, design, link } = await setUp(t);
    const signed = new URL(link.src).searchParams.get('link') ?? '';
    const [tokenId, designId, expiry, signature = ''] = signed.split('.');
    const later = (Date.now() + 1000 * MINUTE_MS).toString(36);
    const lastLetter = signature.endsWith('A') ? 'B' : 'A';
    const otherSigner = new Signer(Buffer.alloc(32, 8), PREVIEW_LINK_PURPOSE);
    const otherPurpose = new Signer(GRANT_KEY, 'another purpose');
    const grants = new GrantSigner(GRANT_KEY);
    const rows: [name: string, link: string | undefined, reason: string][] = [
      ['absent', undefined, 'missing'],
      ['empty', '', 'missing'],
      ['no signature', `${tokenId}.${designId}.${expiry}`, 'forged'],
      ['empty signature', `${tokenId}.${designId}.${expiry}.`, 'forged'],
      ['changed signature', signed.slice(0, -1) + lastLetter, 'forged'],
      ['longer signature', `${signed}=`, 'forged'],
      ['later expiry', `${tokenId}.${designId}.${later}.${signature}`, 'forged'],
      ['other token', `tok_x.${designId}.${expiry}.${signature}`, 'forged'],
      [
        'other key',
        signPreviewPermission(otherSigner, { ...permission, designId: design.id }),
        'forged',
      ],
      [
        'other purpose',
        signPreviewPermission(otherPurpose, { ...permission, designId: design.id }),
        'forged',
      ],
      [
        'an asset grant',
        grants.sign({
          ...permission,
          granteeId: permission.tokenId,
          designId: design.id,
          revisionId: 'rev_x',
          scopeVersion: 0,
        }),
        'forged',
      ],
    ];
    for (const [name, text, reason] of rows) {
      const query = text === undefined ? '' : `?link=${text}`;
      for (const path of ['/preview', '/embed/preview/v1']) {
        const refusal = await open(service, `${path}/${design.id}${query}`);
        assert.deepEqual([refusal.code, refusal.reason], ['embed.preview-link', reason], name);
      }
    }
    const twice = await open(service, `/preview/${design.id}?link=${signed}&link=${signed}`);
    assert.equal(twice.reason, 'missing', 'two links in one URL');
  });

  it('403: is for one design', async (t) => {
    const { service, link } = await setUp(t);
    const other = await uploadTestDesign(service, 'Other');
    const url = link.src.replace(/v1\/[^?]+/, `v1/${other.id}`);
    const refusal = await open(service, url);
    assert.deepEqual([refusal.code, refusal.reason], ['embed.preview-link', 'design']);
  });

  it('403: is refused after ten minutes', async (t) => {
    const { service, link } = await setUp(t);
    service.advanceTime(9 * MINUTE_MS);
    assert.equal((await open(service, link.src)).status, 200);
    service.advanceTime(MINUTE_MS);
    const refusal = await open(service, link.src);
    assert.deepEqual([refusal.code, refusal.reason], ['embed.preview-link', 'expired']);
  });

  it('loads files for at most 30 minutes: anyone with the link has its grant', async (t) => {
    const { service, link } = await setUp(t);
    const { model, grant } = toViewerConfig((await open(service, link.src)).response.body);
    const load = () =>
      service.app.inject({
        url: model.url,
        headers: { host: 'cloche.test', 'cloche-grant': grant },
      });
    service.advanceTime(15 * MINUTE_MS - 5000);
    assert.equal((await load()).statusCode, 200);
    service.advanceTime(15 * MINUTE_MS + 5000);
    const { code, reason } = (await load()).json();
    assert.deepEqual([code, reason], ['embed.grant', 'expired']);
  });

  it('403: a token that no longer has the design in its scope', async (t) => {
    const { service, design } = await setUp(t);
    const parent = await issueToken(service, { capabilities: ['read'], origins: [] });
    const link = await createLink(service, design.id, parent.token);
    await sendRequest(service, 'PATCH', `/v1/tokens/${parent.id}`, {
      designs: [UNKNOWN_DESIGN_ID],
    });
    assert.equal((await open(service, link.src)).code, 'token.design');
  });

  it('404: a deleted design', async (t) => {
    const { service, design, link } = await setUp(t);
    await sendRequest(service, 'DELETE', `/v1/designs/${design.id}`);
    assert.equal((await open(service, link.src)).code, 'design.unknown');
  });
});

test('an asset grant is not a preview link, and a preview link is not an asset grant', async (t) => {
  const { service, link } = await setUp(t);
  const { model } = toViewerConfig((await open(service, link.src)).response.body);
  const signed = new URL(link.src).searchParams.get('link') ?? '';
  const response = await service.app.inject({
    url: model.url,
    headers: { host: 'cloche.test', 'cloche-grant': signed },
  });
  assert.equal(response.json().reason, 'forged');
});
