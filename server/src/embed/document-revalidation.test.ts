import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { makeBox } from '@cloche/pipeline/testing/models';
import { IFRAME_HEADERS } from '../../testing/get-framed-document.ts';
import { openTestServer } from '../../testing/harness.ts';
import {
  GLB_HEADERS,
  HOST_HEADER,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  UNKNOWN_DESIGN_ID,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { generateTokenString } from '../tokens/token-string.ts';
import { GrantSigner } from './asset-grant.ts';
import { isCacheable } from './cached-document.ts';

const HOUR_MS = 60 * 60 * 1000;
/** What Chromium sends to a secure origin for an iframe of a listed page. */
const CHROMIUM_HEADERS: Record<string, string> = {
  ...IFRAME_HEADERS,
  'sec-fetch-site': 'cross-site',
  'sec-ch-ua': '"Chromium";v="153", "Not.A/Brand";v="24"',
};
/** What the viewer sends. */
const OWN_HEADERS = { ...HOST_HEADER, 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'same-origin' };

type Changes = {
  headers?: Record<string, string>;
  designId?: string;
  token?: string;
  version?: string;
  query?: string;
};

/** Opens a framed document. `revalidate` sends what the viewer sends when a browser has taken the document from its cache. */
async function openDocument(
  t: TestContext,
  { headers = CHROMIUM_HEADERS, tokenRequest = {}, query = '', limits = {} } = {},
) {
  const service = await openTestServer(t, { limits });
  const design = await uploadTestDesign(service);
  const issued = await issueToken(service, tokenRequest);
  const open = async (changed = headers, token = issued.token, id = design.id) => {
    const url = `/embed/iframe/v1/${id}?token=${token}${query}`;
    const response = await service.app.inject({ url, headers: { ...HOST_HEADER, ...changed } });
    assert.equal(response.statusCode, 200, response.body);
    const json = /id="viewer-config">(.*?)<\/script>/.exec(response.body)?.[1] ?? '';
    return { headers: response.headers, config: JSON.parse(json) as ViewerConfig };
  };
  const document = await open();
  const { grant, documentVersion: version = '' } = document.config;
  const revalidate = async (changes: Changes = {}) => {
    const id = changes.designId ?? design.id;
    const parameters = `token=${changes.token ?? issued.token}${changes.query ?? query}`;
    const response = await service.app.inject({
      url: `/embed/iframe/v1/${id}/${changes.version ?? version}?${parameters}`,
      headers: { ...OWN_HEADERS, 'cloche-grant': grant, ...changes.headers },
    });
    assert.equal(response.headers['cache-control'], 'no-store');
    const { code, reason, ...body } = response.json();
    return { status: response.statusCode, code, reason, body };
  };
  const tokenUrl = `/v1/tokens/${issued.id}`;
  const designUrl = `/v1/designs/${design.id}`;
  return {
    service,
    design,
    issued,
    open,
    document,
    grant,
    version,
    revalidate,
    tokenUrl,
    designUrl,
  };
}

describe('the framed document, in the caches of browsers', () => {
  it('is kept for the same page only, for as long as its grant is valid', async (t) => {
    const { document, version } = await openDocument(t);
    assert.equal(document.headers['cache-control'], 'private, max-age=43200');
    assert.equal(
      document.headers.vary,
      'accept-encoding, accept-language, origin, referer, sec-fetch-dest, sec-fetch-site',
    );
    assert.match(version, /^[\w-]{11}$/);
  });

  const without = (name: string) =>
    Object.fromEntries(Object.entries(CHROMIUM_HEADERS).filter(([header]) => header !== name));
  const rows = [
    ['a browser that is not known to tell the document', { headers: without('sec-ch-ua') }],
    ['a page that is not named', { headers: without('referer') }],
    [
      'a page that is not named, of a token with several origins',
      {
        headers: without('referer'),
        tokenRequest: { origins: [SHOP_ORIGIN, 'https://fair.example'] },
      },
    ],
    ['a request that may not be for an iframe', { headers: without('sec-fetch-dest') }],
    ['origins over http', { tokenRequest: { origins: [SHOP_ORIGIN, 'http://localhost:*'] } }],
  ] as const;
  for (const [name, options] of rows) {
    it(`is not kept: ${name}`, async (t) => {
      const { document } = await openDocument(t, options as never);
      assert.equal(document.headers['cache-control'], 'no-store');
      assert.equal(document.config.documentVersion, undefined);
    });
  }

  it('is not kept: a document that reloads itself', async (t) => {
    const { open, design, issued } = await openDocument(t);
    const referer = `http://cloche.test/embed/iframe/v1/${design.id}?token=${issued.token}`;
    const { headers } = await open({ ...CHROMIUM_HEADERS, referer });
    assert.equal(headers['cache-control'], 'no-store');
  });

  it('has the same version at each request, and another one with other options or for another page', async (t) => {
    const { service, open, version } = await openDocument(t, {
      tokenRequest: { origins: [SHOP_ORIGIN, 'https://fair.example'] },
    });
    service.advanceTime(13 * HOUR_MS);
    assert.equal((await open()).config.documentVersion, version);
    const languages = { ...CHROMIUM_HEADERS, 'accept-language': 'de' };
    assert.notEqual((await open(languages)).config.documentVersion, version);
    const fair = { ...CHROMIUM_HEADERS, referer: 'https://fair.example/' };
    assert.notEqual((await open(fair)).config.documentVersion, version);
  });
});

describe('GET /embed/iframe/v1/{id}/{documentVersion}', () => {
  it('200: a new grant for the same document', async (t) => {
    const { service, revalidate, grant, document } = await openDocument(t);
    // Later than half the lifetime of a grant, and before its end.
    service.advanceTime(11 * HOUR_MS + 59 * 60_000);
    const { status, body } = await revalidate();
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ['grant']);
    const renewed = body.grant;
    service.advanceTime(11 * HOUR_MS);
    const { url } = document.config.model;
    const load = (value: string) =>
      service.app.inject({ url, headers: { ...OWN_HEADERS, 'cloche-grant': value } });
    assert.equal((await load(renewed)).statusCode, 200);
    service.advanceTime(2 * HOUR_MS);
    assert.equal((await load(grant)).statusCode, 403);
  });

  it('200: with options, another language, and a wildcard', async (t) => {
    const headers = {
      ...CHROMIUM_HEADERS,
      referer: 'https://a.fair.example/',
      'accept-language': 'de-AT,de;q=0.9',
    };
    const tokenRequest = { origins: ['https://*.fair.example'] };
    const query = '&autoRotate=true&theme=dark';
    const { revalidate } = await openDocument(t, { headers, tokenRequest, query });
    const language = { 'accept-language': 'de-AT,de;q=0.9' };
    assert.equal((await revalidate({ headers: language })).status, 200);
    assert.equal(
      (await revalidate({ headers: language, query: '&theme=dark' })).reason,
      'outdated',
    );
    assert.equal((await revalidate()).reason, 'outdated');
  });

  it('counts as a view of the page', async (t) => {
    const { service, revalidate, tokenUrl } = await openDocument(t);
    await revalidate();
    await revalidate({ version: 'AAAAAAAAAAA' });
    const usage = await sendRequest(service, 'GET', `${tokenUrl}/usage?by=origin`);
    const [{ origin, views }] = usage.json().items;
    assert.deepEqual({ origin, views }, { origin: SHOP_ORIGIN, views: 2 });
  });

  it('403: the document has changed', async (t) => {
    const { service, open, revalidate, designUrl, tokenUrl } = await openDocument(t);
    const changes: (() => Promise<unknown>)[] = [
      () => sendRequest(service, 'PATCH', designUrl, { name: 'Ash chair' }),
      () => sendRequest(service, 'PATCH', designUrl, { description: 'Made of ash' }),
      () => sendRequest(service, 'PATCH', designUrl, { viewer: { autoRotate: true } }),
      () =>
        sendRequest(
          service,
          'PUT',
          `${designUrl}/model`,
          makeBox({ name: 'new' }) as never,
          GLB_HEADERS,
        ),
      () =>
        sendRequest(service, 'PATCH', tokenUrl, { origins: [SHOP_ORIGIN, 'https://b.example'] }),
    ];
    for (const change of changes) {
      const { documentVersion: version, grant } = (await open()).config;
      const current = { version: version ?? '', headers: { 'cloche-grant': grant } };
      assert.equal((await revalidate(current)).status, 200);
      await change();
      const { status, code, reason } = await revalidate(current);
      assert.deepEqual(
        { status, code, reason },
        { status: 403, code: 'embed.grant', reason: 'outdated' },
        String(change),
      );
    }
  });

  it('401, 403 and 404: what the gate refuses', async (t) => {
    const { service, open, revalidate, designUrl, tokenUrl } = await openDocument(t);
    const refuse = async (change: () => Promise<unknown>) => {
      await change();
      const { status, code } = await revalidate();
      return `${status} ${code}`;
    };
    const patch = (change: object) => () => sendRequest(service, 'PATCH', tokenUrl, change);
    assert.equal(await refuse(patch({ designs: [UNKNOWN_DESIGN_ID] })), '403 token.design');
    await patch({ designs: null })();
    assert.equal(await refuse(patch({ origins: ['https://fair.example'] })), '403 embed.origin');
    // The grant ends for good, as it does for files.
    assert.equal(await refuse(patch({ origins: [SHOP_ORIGIN] })), '403 embed.grant');
    const { documentVersion: version } = (await open()).config;
    assert.deepEqual((await revalidate({ version: version ?? '' })).reason, 'outdated');
    assert.equal(
      await refuse(() => sendRequest(service, 'DELETE', designUrl)),
      '404 design.unknown',
    );
    assert.equal(await refuse(() => sendRequest(service, 'DELETE', tokenUrl)), '401 token.revoked');
  });

  it('401 and 403: without the token and the grant of the document', async (t) => {
    const { service, open, design, issued, grant, revalidate } = await openDocument(t);
    const other = await issueToken(service);
    const otherDesign = await uploadTestDesign(service, 'table');
    const [granteeId = '', designId = '', revisionId = ''] = grant.split('.');
    const expiresAt = new Date(Date.now() + HOUR_MS);
    const signer = new GrantSigner(Buffer.alloc(32, 7));
    const withoutPage = signer.sign({
      ...{ granteeId, designId, revisionId, expiresAt, scopeVersion: 0 },
    });
    const { documentVersion: otherVersion = '' } = (await open(CHROMIUM_HEADERS, other.token))
      .config;
    const { documentVersion: tableVersion = '' } = (
      await open(CHROMIUM_HEADERS, issued.token, otherDesign.id)
    ).config;
    const rows: [Changes, string][] = [
      [{ token: '' }, 'token.missing'],
      [{ token: `${issued.token.slice(0, -1)}_` }, 'token.malformed'],
      [{ token: service.token }, 'embed.secret-token'],
      [{ token: other.token }, 'embed.grant'],
      [{ token: other.token, version: otherVersion }, 'embed.grant'],
      [{ designId: otherDesign.id }, 'embed.grant'],
      [{ designId: otherDesign.id, version: tableVersion }, 'embed.grant'],
      [{ headers: { 'cloche-grant': '' } }, 'embed.grant'],
      [{ headers: { 'cloche-grant': `${grant}x` } }, 'embed.grant'],
      [{ headers: { 'cloche-grant': withoutPage } }, 'embed.unverified-origin'],
      [{ headers: { 'sec-fetch-site': 'cross-site' } }, 'embed.cross-site'],
      [{ headers: { origin: SHOP_ORIGIN } }, 'embed.cross-site'],
    ];
    for (const [changes, code] of rows)
      assert.equal((await revalidate(changes)).code, code, JSON.stringify(changes));
    assert.equal((await revalidate({ designId: design.id.toUpperCase() })).status, 200);
    service.advanceTime(25 * HOUR_MS);
    assert.deepEqual((await revalidate()).reason, 'expired');
  });

  it('429: over the limit of documents, and of tokens that do not exist', async (t) => {
    const limits = { documentsPerMinute: 2, failedTokensPerMinute: 1 };
    const { revalidate } = await openDocument(t, { limits });
    // A document that has changed is requested again, and counts then.
    assert.equal((await revalidate({ version: 'AAAAAAAAAAA' })).code, 'embed.grant');
    assert.equal((await revalidate()).status, 200);
    assert.equal((await revalidate()).code, 'request.rate-limited');
    const token = generateTokenString('public');
    assert.equal((await revalidate({ token })).code, 'token.unknown');
    assert.equal((await revalidate({ token })).code, 'request.rate-limited');
  });
});

it('the document of a model that is being made is not kept', () => {
  const view = {
    revision: { artifacts: [{ kind: 'preview' }] } as never,
    posterVisibility: 'at-once',
    pageOrigin: SHOP_ORIGIN,
  } as const;
  const context = { secChUa: '"Chromium"', referer: `${SHOP_ORIGIN}/` };
  assert.equal(isCacheable(view, context), false);
  const revision = { artifacts: [{ kind: 'model' }] } as never;
  assert.equal(isCacheable({ ...view, revision }, context), true);
});
