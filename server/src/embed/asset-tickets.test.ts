import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { makeBox } from '@cloche/pipeline/testing/models';
import { getFramedDocument, IFRAME_HEADERS } from '../../testing/get-framed-document.ts';
import { openTestServer, type TestServerOptions } from '../../testing/harness.ts';
import {
  HOST_HEADER,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { Signer } from '../http/signer.ts';
import { ASSET_TICKET_PURPOSE, AssetTickets } from './asset-ticket.ts';
import { parseTicketUrl } from './asset-urls.ts';
import type { AuthorizedView } from './authorize-view.ts';
import { toViewerConfig } from './to-viewer-config.ts';

const MINUTE_MS = 60_000;
const CDN = { origin: 'https://cdn.example', ticketMs: 60 * MINUTE_MS };
const PAGE_ORIGIN = 'http://cloche.test';
/** The key of the test server. */
const GRANT_KEY = Buffer.alloc(32, 7);
const TICKET_URL =
  /^https:\/\/cdn\.example(\/embed\/assets\/([0-9a-f]{64})\.glb\?ticket=(\d+)\.([\w-]{43}))$/;

/** A service behind a CDN, with two designs. `url` is the model of the first one on the service. */
async function openEmbed(t: TestContext, options: TestServerOptions = { cdn: CDN }) {
  const service = await openTestServer(t, options);
  const box = makeBox({ name: 'chair' });
  const design = await uploadTestDesign(service, 'chair', box);
  const other = await uploadTestDesign(service, 'table');
  const issued = await issueToken(service);
  const openDocument = async (id = design.id, sent = IFRAME_HEADERS) => {
    const { headers, body } = await getFramedDocument(service, id, issued.token, sent);
    const config = /id="viewer-config">(.*)<\/script>$/.exec(body)?.[1] ?? body;
    return { headers, config: JSON.parse(config) as ViewerConfig };
  };
  const { headers, config } = await openDocument();
  const url = config.model.url.replace(CDN.origin, '');
  const get = (path: string, headers: Record<string, string> = {}) =>
    service.app.inject({ url: path, headers: { ...HOST_HEADER, ...headers } });
  const check = (uri: string) => get('/embed/tickets/check', { 'x-original-uri': uri });
  return { service, box, design, other, issued, openDocument, headers, config, url, get, check };
}

async function assertRefused(
  response: { statusCode: number; json(): { code: string; reason?: string } },
  reason: string,
) {
  const { code, reason: actual } = response.json();
  assert.deepEqual([response.statusCode, code, actual], [403, 'embed.ticket', reason]);
}

test('the framed document has URLs of the CDN with tickets, and may connect to it', async (t) => {
  const { config, headers, url } = await openEmbed(t);
  const [, path, sha256, expiry, signature] = TICKET_URL.exec(config.model.url) ?? [];
  assert.equal(path, url);
  // Computed from its definition: a CDN may check it without asking the service.
  const key = createHmac('sha256', GRANT_KEY).update('asset-ticket').digest();
  const expected = createHmac('sha256', key).update(`${sha256}.${expiry}`).digest('base64url');
  assert.equal(signature, expected);
  const policy = String(headers['content-security-policy']).split('; ');
  assert.deepEqual(
    policy.filter((directive) => directive.includes('cdn.example')),
    ["connect-src 'self' blob: https://cdn.example"],
  );
  assert.equal(headers.link, '<https://cdn.example>; rel=preconnect; crossorigin');
  assert.equal(headers['cache-control'], 'no-store');
});

test('browsers cache a document for no longer than its tickets are valid, and show it only while they are', async (t) => {
  for (const [ticketMinutes, maxAge] of [
    [60, 1800],
    [7 * 24 * 60, 43_200],
  ] as const) {
    const ticketMs = ticketMinutes * MINUTE_MS;
    const { service, design, issued, openDocument } = await openEmbed(t, {
      cdn: { ...CDN, ticketMs },
    });
    const chromium = { ...IFRAME_HEADERS, 'sec-ch-ua': '"Chromium";v="153"' };
    const { headers, config } = await openDocument(undefined, chromium);
    assert.equal(headers['cache-control'], `private, max-age=${maxAge}`);
    const revalidate = async () => {
      const { grant } = (await openDocument(undefined, chromium)).config;
      const { statusCode } = await service.app.inject({
        url: `/embed/iframe/v1/${design.id}/${config.documentVersion}?token=${issued.token}`,
        headers: { ...HOST_HEADER, 'cloche-grant': grant },
      });
      return statusCode;
    };
    service.advanceTime(maxAge * 1000 - MINUTE_MS);
    assert.equal(await revalidate(), 200);
    service.advanceTime(ticketMs);
    assert.equal(await revalidate(), 403);
  }
});

test('without a CDN, nothing changes: no tickets, no route, and a ticket opens nothing', async (t) => {
  const { config, headers, get, check } = await openEmbed(t, {});
  assert.match(config.model.url, /^\/embed\/assets\/[0-9a-f]{64}\.glb$/);
  assert.equal(headers.link, undefined);
  assert.doesNotMatch(String(headers['content-security-policy']), /connect-src 'self' blob: h/);
  const blob = parseTicketUrl(`${config.model.url}?ticket=1.x`)?.blob ?? assert.fail();
  const tickets = new AssetTickets(new Signer(GRANT_KEY, ASSET_TICKET_PURPOSE), CDN.ticketMs);
  const url = `${config.model.url}?ticket=${tickets.sign(blob, new Date())}`;
  assert.equal((await get(url)).json().code, 'embed.grant');
  assert.equal((await check(url)).statusCode, 404);
});

test('a CDN on the public address: tickets on our own origin', async (t) => {
  const { config, headers } = await openEmbed(t, { cdn: { ...CDN, origin: PAGE_ORIGIN } });
  assert.match(config.model.url, /^\/embed\/assets\/[0-9a-f]{64}\.glb\?ticket=/);
  assert.equal(headers.link, undefined);
  assert.match(String(headers['content-security-policy']), /connect-src 'self' blob:;/);
});

test('200 with the ticket alone, readable by framed documents only, and cached privately', async (t) => {
  const { box, url, get } = await openEmbed(t);
  const byEdge = await get(url);
  assert.deepEqual(byEdge.rawPayload, box);
  assert.equal(byEdge.headers['cache-control'], 'private, max-age=31536000, immutable');
  assert.equal(byEdge.headers['cross-origin-resource-policy'], 'same-origin');
  assert.equal(byEdge.headers['access-control-allow-origin'], undefined);
  assert.equal(byEdge.headers.vary, 'origin');
  const byPage = await get(url, { origin: PAGE_ORIGIN, 'sec-fetch-site': 'cross-site' });
  assert.equal(byPage.statusCode, 200);
  assert.equal(byPage.headers['access-control-allow-origin'], PAGE_ORIGIN);
  for (const origin of [SHOP_ORIGIN, 'null', 'https://cdn.example', 'https://cloche.test']) {
    const response = await get(url, { origin });
    assert.equal(response.json().code, 'embed.cross-site', origin);
    assert.equal(response.headers['access-control-allow-origin'], undefined);
  }
});

test('framed documents at a former address can read the artifacts too', async (t) => {
  const formerOrigins = ['https://old.example'];
  const { url, get } = await openEmbed(t, { cdn: CDN, formerOrigins });
  const { headers } = await get(url, { origin: 'https://old.example' });
  assert.equal(headers['access-control-allow-origin'], 'https://old.example');
});

test('204 for a valid ticket, also for a file that is gone: the check reads nothing', async (t) => {
  const { service, design, url, get, check } = await openEmbed(t);
  assert.equal((await check(url)).statusCode, 204);
  await sendRequest(service, 'DELETE', `/v1/designs/${design.id}`);
  assert.equal((await check(url)).statusCode, 204);
  assert.equal((await get(url)).json().code, 'embed.asset');
});

test('403: a ticket that was changed, or is for another file, or for another purpose', async (t) => {
  const { other, openDocument, url, get, check } = await openEmbed(t);
  const otherUrl = (await openDocument(other.id)).config.model.url.replace(CDN.origin, '');
  const [path, ticket = ''] = url.split('?ticket=');
  const [otherPath, otherTicket] = otherUrl.split('?ticket=');
  const [expiry, signature = ''] = ticket.split('.');
  const flipped = (signature.startsWith('a') ? 'b' : 'a') + signature.slice(1);
  const sign = (key: Buffer, purpose: string) => {
    const blob = parseTicketUrl(url)?.blob ?? assert.fail();
    return new AssetTickets(new Signer(key, purpose), CDN.ticketMs).sign(blob, new Date());
  };
  assert.equal(sign(GRANT_KEY, ASSET_TICKET_PURPOSE), ticket);
  const forged = [
    `${path}?ticket=${otherTicket}`,
    `${otherPath}?ticket=${ticket}`,
    `${path}?ticket=${expiry}.${flipped}`,
    `${path}?ticket=${expiry}.${signature.slice(1)}`,
    `${path}?ticket=${Number(expiry) + 1}.${signature}`,
    `${path}?ticket=0${expiry}.${signature}`,
    `${path}?ticket=${expiry}.`,
    `${path}?ticket=.`,
    `${path}?ticket=${sign(Buffer.alloc(32, 8), ASSET_TICKET_PURPOSE)}`,
    `${path}?ticket=${sign(GRANT_KEY, 'session')}`,
  ];
  for (const uri of forged) {
    await assertRefused(await get(uri), 'forged');
    await assertRefused(await check(uri), 'forged');
  }
  // The page that may show the design can read why.
  const { headers } = await get(forged[0] ?? '', { origin: PAGE_ORIGIN });
  assert.equal(headers['access-control-allow-origin'], PAGE_ORIGIN);
});

test('403: a ticket that has expired', async (t) => {
  const { service, url, get, check, openDocument } = await openEmbed(t);
  // Valid for half of CLOCHE_TICKET_MINUTES at least, and for all of it at most.
  service.advanceTime(30 * MINUTE_MS - 1000);
  assert.equal((await get(url)).statusCode, 200);
  service.advanceTime(30 * MINUTE_MS + 1000);
  await assertRefused(await get(url), 'expired');
  await assertRefused(await check(url), 'expired');
  const { config } = await openDocument();
  assert.equal((await get(config.model.url.replace(CDN.origin, ''))).statusCode, 200);
});

test('a page that was open for longer gets new tickets for the files of its revision', async (t) => {
  const { service, design, config, url, get } = await openEmbed(t);
  service.advanceTime(60 * MINUTE_MS);
  await assertRefused(await get(url), 'expired');
  const path = `/v1/designs/${design.id}`;
  const bytes = makeBox({ name: 'replaced' });
  await sendRequest(service, 'PUT', `${path}/model`, bytes, {
    'content-type': 'model/gltf-binary',
  });
  const renew = () => get('/embed/model', { 'cloche-grant': config.grant });
  const { url: renewed } = (await renew()).json().model;
  const [, renewedPath = ''] = TICKET_URL.exec(renewed) ?? [];
  assert.equal(renewedPath.split('?')[0], url.split('?')[0]);
  assert.equal((await get(renewedPath)).statusCode, 200);
  assert.equal((await sendRequest(service, 'DELETE', `${path}/revisions/1`)).statusCode, 204);
  const { code, reason } = (await renew()).json();
  assert.deepEqual([code, reason], ['embed.grant', 'outdated']);
});

test('a preview has no tickets: one could be valid for longer than its link', async (t) => {
  const { service, design, get } = await openEmbed(t);
  const links = `/v1/designs/${design.id}/preview-links`;
  const { src } = (await sendRequest(service, 'POST', links)).json();
  const { body, headers } = await get(src.replace(PAGE_ORIGIN, ''), {
    'sec-fetch-dest': 'iframe',
    'sec-fetch-site': 'same-origin',
    referer: `${PAGE_ORIGIN}/`,
  });
  const config: ViewerConfig = JSON.parse(
    /id="viewer-config">(.*)<\/script>$/.exec(body)?.[1] ?? body,
  );
  assert.match(config.model.url, /^\/embed\/assets\/[0-9a-f]{64}\.glb$/);
  assert.doesNotMatch(body, /ticket=/);
  assert.equal(headers.link, undefined);
  assert.doesNotMatch(String(headers['content-security-policy']), /cdn\.example/);
  const response = await get('/embed/model', { 'cloche-grant': config.grant });
  assert.equal(response.json().model.url, config.model.url);
});

test('visitors within half the lifetime of a ticket share its URL', async () => {
  const tickets = new AssetTickets(new Signer(GRANT_KEY, ASSET_TICKET_PURPOSE), 60 * MINUTE_MS);
  const blob = parseTicketUrl(`/embed/assets/${'a'.repeat(64)}.glb?ticket=1.x`)?.blob;
  assert.ok(blob);
  const urls = Array.from({ length: 60 }, (_, minute) =>
    tickets.sign(blob, new Date(Date.UTC(2026, 0, 1, 12, minute))),
  );
  assert.equal(new Set(urls.slice(0, 30)).size, 1);
  assert.equal(new Set(urls).size, 2);
});

test('a URL in another spelling has no ticket: a cache may read another path in it', () => {
  const [a, b] = ['a'.repeat(64), 'b'.repeat(64)];
  assert.deepEqual(parseTicketUrl(`/embed/assets/${a}.webp?ticket=1.x`), {
    blob: a,
    ticket: '1.x',
  });
  const spellings = [
    `/embed/assets/${a}.glb/../${b}.glb?ticket=1.x`,
    `/embed/assets/${a}.glb%2f..%2f${b}.glb?ticket=1.x`,
    `//embed/assets/${a}.glb?ticket=1.x`,
    `/embed/assets/${a.replace('a', '%61')}.glb?ticket=1.x`,
    `/embed/assets/${a.toUpperCase()}.glb?ticket=1.x`,
    `/embed/assets/${a}.glb?ticket=1.x&ticket=2.x`,
    `/embed/assets/${a}.glb?x&ticket=1.x`,
    `/embed/assets/${a}.glb?ticket=1.x#`,
    `http://cloche.test/embed/assets/${a}.glb?ticket=1.x`,
    `/embed/assets/${a}?ticket=1.x`,
    `/embed/assets/${a}.glb`,
    '',
  ];
  for (const spelling of spellings) assert.equal(parseTicketUrl(spelling), undefined, spelling);
});

test('the model that was made meanwhile has URLs with tickets', async (t) => {
  const { config, get } = await openEmbed(t);
  const response = await get('/embed/model', { 'cloche-grant': config.grant });
  assert.equal(response.json().model.url, config.model.url);
});

test('while the model is being made, its preview is loaded from the service itself', () => {
  const preview = { kind: 'preview', blob: 'a'.repeat(64), sizeBytes: 10 };
  const view = { design: {}, revision: { artifacts: [preview], stats: {} }, origins: [] };
  const requested = { options: {}, warnings: [] };
  const urls = { grant: '', toUrl: () => 'https://cdn.example/file' };
  const config = toViewerConfig(view as never as AuthorizedView, requested, urls);
  assert.equal(config.preview?.url, `/embed/assets/${preview.blob}.glb`);
});
