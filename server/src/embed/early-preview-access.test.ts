import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type EarlyDesign,
  getConfig,
  getDocument,
  load,
  openBlockedDesign,
} from '../../testing/early-preview.ts';
import { sendRequest } from '../../testing/requests.ts';

type Loading = { grant: string; headers?: Record<string, string> };

/** Changes the design, its token or the request after the document was opened; and the code of the response. */
type Case = [
  change: string,
  code: string,
  apply: (design: EarlyDesign, grant: string) => Promise<Loading>,
];

const HOUR_MS = 3_600_000;

const cases: Case[] = [
  [
    'its token was revoked',
    'token.revoked',
    async ({ service, tokenId }, grant) => {
      await sendRequest(service, 'DELETE', `/v1/tokens/${tokenId}`);
      return { grant };
    },
  ],
  [
    'its token has expired',
    'token.expired',
    async ({ service, tokenId }, grant) => {
      const expiresAt = new Date(Date.now() + 60_000).toISOString();
      await sendRequest(service, 'PATCH', `/v1/tokens/${tokenId}`, { expiresAt });
      service.advanceTime(61_000);
      return { grant };
    },
  ],
  [
    'origins were removed from its token',
    'embed.grant',
    async ({ service, tokenId }, grant) => {
      const body = { origins: ['https://other.example'] };
      await sendRequest(service, 'PATCH', `/v1/tokens/${tokenId}`, body);
      return { grant };
    },
  ],
  [
    'the design was removed from its token',
    'token.design',
    async ({ service, tokenId }, grant) => {
      const other = '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55';
      const body = { designs: [other] };
      const response = await sendRequest(service, 'PATCH', `/v1/tokens/${tokenId}`, body);
      assert.equal(response.statusCode, 200, response.body);
      return { grant };
    },
  ],
  [
    'the design was deleted',
    'design.unknown',
    async ({ service, id }, grant) => {
      await sendRequest(service, 'DELETE', `/v1/designs/${id}`);
      return { grant };
    },
  ],
  [
    'its grant has expired',
    'embed.grant',
    async ({ service }, grant) => {
      service.advanceTime(24 * HOUR_MS);
      return { grant };
    },
  ],
  ['there is no grant', 'embed.grant', async () => ({ grant: '' })],
  ['its grant is forged', 'embed.grant', async (_, grant) => ({ grant: `${grant}x` })],
  [
    'another site requests it',
    'embed.cross-site',
    async (_, grant) => ({ grant, headers: { 'sec-fetch-site': 'cross-site' } }),
  ],
  [
    'a page of another origin requests it',
    'embed.cross-site',
    async (_, grant) => ({ grant, headers: { origin: 'https://shop.example' } }),
  ],
];

describe('an early preview and its model are refused, as a model that is ready', () => {
  for (const [change, code, apply] of cases) {
    it(`if ${change}`, async (t) => {
      for (const isReady of [false, true]) {
        const design = await openBlockedDesign(t);
        await design.waitForPreview();
        const { preview, pendingModelUrl, grant } = await getConfig(design);
        const allowed = await load(design, preview?.url, grant);
        assert.equal(allowed.statusCode, 200);
        if (isReady) {
          design.release();
          await sendRequest(design.service, 'GET', `/v1/designs/${design.id}/events`);
        }
        const { grant: usedGrant, headers } = await apply(design, grant);
        for (const url of [preview?.url, pendingModelUrl]) {
          const response = await load(design, url, usedGrant, headers);
          assert.equal(response.json().code, code, `${url}, ready: ${isReady}`);
        }
      }
    });
  }
});

describe('the gate', () => {
  const denied: [page: string, headers: Record<string, string>, status: number, code: string][] = [
    ['an unlisted page', { referer: 'https://other.example/' }, 403, 'embed.origin'],
    ['no page', { 'sec-fetch-dest': 'document' }, 403, 'embed.not-an-iframe'],
  ];
  for (const [page, headers, status, code] of denied) {
    it(`shows an early preview to ${page} no more than a model`, async (t) => {
      const design = await openBlockedDesign(t);
      await design.waitForPreview();
      const json = { ...headers, accept: 'application/json' };
      const response = await getDocument(design, { headers: json });
      assert.deepEqual([response.statusCode, response.json().code], [status, code]);
      assert.doesNotMatch((await getDocument(design, { headers })).body, /viewer-config/);
    });
  }

  it('shows the preview of a shared design to anyone, and no share page without a picture', async (t) => {
    const design = await openBlockedDesign(t);
    await design.waitForPreview();
    const { service, id } = design;
    const request = (url: string) =>
      service.app.inject({
        url,
        headers: { host: 'cloche.test', 'sec-fetch-dest': 'iframe', accept: 'text/html' },
      });
    const url = `/embed/share/v1/${id}`;
    assert.equal((await request(url)).statusCode, 404);
    await sendRequest(service, 'PATCH', `/v1/designs/${id}`, { shared: true });
    assert.match((await request(url)).body, /"pendingModelUrl"/);
    assert.equal((await request(`/share/${id}`)).statusCode, 503);
    const page = encodeURIComponent(`http://cloche.test/share/${id}`);
    const oEmbed = await service.app.inject({
      url: `/oembed?url=${page}`,
      headers: { host: 'cloche.test' },
    });
    assert.equal(oEmbed.statusCode, 503);
  });

  it('gives no other grant with the model', async (t) => {
    const design = await openBlockedDesign(t);
    await design.waitForPreview();
    const { pendingModelUrl, grant } = await getConfig(design);
    design.release();
    await sendRequest(design.service, 'GET', `/v1/designs/${design.id}/events`);
    const response = await load(design, pendingModelUrl, grant);
    assert.deepEqual(Object.keys(response.json()), ['model']);
    assert.equal(response.headers['cache-control'], 'no-store');
  });
});
