import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { skipWithout } from '../scripts/optional-programs.ts';
import { waitUntil } from '../scripts/wait-until.ts';
import { sendRequest, uploadTestDesign } from '../server/testing/requests.ts';
import { openServiceBehindNginx, TICKET_MS } from './service-behind-nginx.ts';
import { openSharedChromium } from './shared-chromium.ts';

describe('nginx with the configuration of docs/scale.md', { skip: skipWithout('nginx') }, () => {
  it('shows a model in Chromium, whose files are loaded from the CDN without a grant', async (t) => {
    const { client, sites, design, issued, nginx, openDocument } = await openServiceBehindNginx(t);
    const snippet = await sendRequest(client, 'POST', '/embed/iframe/v1', { uri: design.uri });
    const html = snippet.body.replace('CLOCHE_EMBED_TOKEN', issued.token);
    const browser = await openSharedChromium();
    t.after(() => browser.close());
    const page = await browser.newPage();
    const violations: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') violations.push(message.text());
    });
    const requests: { url: string; grant: string | undefined }[] = [];
    page.on('request', (sent) => {
      const { 'cloche-grant': grant } = sent.headers();
      requests.push({ url: sent.url(), grant });
    });
    await page.goto(sites.addPage('shop.test', '/', html));
    const frame = await waitUntil('the frame', () =>
      page.frames().find((candidate) => candidate.url().includes('/embed/iframe/')),
    );
    await waitUntil(
      () => `the model to be shown: ${violations}`,
      async () => (await frame.evaluate(() => document.documentElement?.dataset.state)) === 'ready',
    );
    const { model } = await openDocument();
    const loaded = requests.find(({ url }) => url === model.url);
    assert.deepEqual(loaded, { url: model.url, grant: undefined });
    assert.deepEqual(
      requests.filter(({ url }) => url.includes('/embed/assets/') && !url.includes('//cdn.test:')),
      [],
    );
    assert.deepEqual(violations, []);
    assert.doesNotMatch(await nginx.readErrors(), /\[(error|crit|alert|emerg)\]/);
  });

  it('has new tickets after the visitor reloads an embed that was open for too long', async (t) => {
    const { client, service, sites, design, issued } = await openServiceBehindNginx(t);
    const snippet = await sendRequest(client, 'POST', '/embed/iframe/v1', { uri: design.uri });
    const html = snippet.body.replace('CLOCHE_EMBED_TOKEN', issued.token);
    const browser = await openSharedChromium();
    t.after(() => browser.close());
    const page = await browser.newPage();
    let hasExpired = false;
    await page.route('**/embed/assets/**', (route) => {
      if (!hasExpired) service.advanceTime(TICKET_MS);
      hasExpired = true;
      return route.continue();
    });
    await page.goto(sites.addPage('shop.test', '/', html));
    const frame = page.frameLocator('iframe');
    await frame.locator('#error details', { hasText: 'viewer.grant-expired' }).waitFor();
    // A document that is older than a minute reloads itself.
    await frame.locator('#error a').click();
    await frame.locator('html[data-state="ready"]').waitFor();
  });

  it('sends a file from its cache, in each encoding, as a range, and as 304', async (t) => {
    const { box, get, openDocument } = await openServiceBehindNginx(t);
    const { model } = await openDocument();
    const first = await get(model.url);
    assert.deepEqual([first.status, first.headers['x-cache']], [200, 'MISS']);
    assert.deepEqual(first.body, box);
    const second = await get(model.url);
    assert.equal(second.headers['x-cache'], 'HIT');
    assert.deepEqual(second.body, box);
    const range = await get(model.url, { range: 'bytes=4-7' });
    assert.deepEqual([range.status, range.headers['x-cache']], [206, 'HIT']);
    assert.deepEqual(range.body, box.subarray(4, 8));
    const etag = String(first.headers.etag);
    assert.equal((await get(model.url, { 'if-none-match': etag })).status, 304);
    // Two browsers name their encodings differently, and share one file.
    assert.equal(
      (await get(model.url, { 'accept-encoding': 'gzip, br' })).headers['x-cache'],
      'MISS',
    );
    assert.equal(
      (await get(model.url, { 'accept-encoding': 'br;q=1.0, zstd' })).headers['x-cache'],
      'HIT',
    );
    assert.equal(
      (await get(model.url, { 'accept-encoding': 'gzip, br;q=0' })).headers['x-cache'],
      'HIT',
    );
  });

  it('refuses each other ticket, also for a file in the cache', async (t) => {
    const { client, service, get, openDocument } = await openServiceBehindNginx(t);
    const other = await uploadTestDesign(client, 'table');
    const url = (await openDocument()).model.url;
    const otherUrl = (await openDocument(other.id)).model.url;
    for (const cached of [url, otherUrl]) assert.equal((await get(cached)).status, 200);
    const [path, ticket] = url.split('?ticket=');
    const [otherPath = '', otherTicket] = otherUrl.split('?ticket=');
    const assertRefused = async (refused: string, reason: string) => {
      const response = await get(refused);
      const { code, reason: actual } = JSON.parse(response.body.toString());
      assert.deepEqual([response.status, code, actual], [403, 'embed.ticket', reason], refused);
      assert.equal(response.headers['x-cache'], undefined);
    };
    await assertRefused(`${path}?ticket=${otherTicket}`, 'forged');
    await assertRefused(`${otherPath}?ticket=${ticket}`, 'forged');
    await assertRefused(`${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`, 'forged');

    // Spellings in which nginx finds the other file in its cache, and the service the ticket of the first one.
    const name = otherPath.slice(otherPath.lastIndexOf('/') + 1);
    const { pathname, search } = new URL(url);
    for (const spelling of [
      `${pathname}/../${name}${search}`,
      `${pathname}%2f..%2f${name}${search}`,
      `/embed/assets/./${name}${search}`,
      `//embed/assets/${name}${search}`,
      `${new URL(otherUrl).pathname}?ticket=${ticket}&ticket=${otherTicket}`,
      `${new URL(otherUrl).pathname}?x=${pathname}${search}`,
      `${new URL(otherUrl).pathname}#${pathname}${search}`,
      new URL(otherUrl).pathname,
    ]) {
      const response = await get('', {}, { path: spelling });
      assert.ok([403, 404].includes(response.status), `${spelling}: ${response.status}`);
      assert.equal(response.headers['x-cache'], undefined, spelling);
    }
    // Nor does a header of the visitor replace the URL.
    const header = await get(`${otherPath}?ticket=${ticket}`, {
      'x-original-uri': `${new URL(otherUrl).pathname}${new URL(otherUrl).search}`,
    });
    assert.equal(header.status, 403);

    service.advanceTime(TICKET_MS);
    await assertRefused(url, 'expired');
    const renewed = (await openDocument()).model.url;
    assert.notEqual(renewed, url);
    assert.equal((await get(renewed)).headers['x-cache'], 'HIT');
  });

  it('keeps the answers for pages of the service and for other pages apart', async (t) => {
    const { publicPort, get, openDocument } = await openServiceBehindNginx(t);
    const { url } = (await openDocument()).model;
    const origin = `http://cloche.test:${publicPort}`;
    assert.equal((await get(url)).headers['access-control-allow-origin'], undefined);
    for (const cache of ['MISS', 'HIT']) {
      const { headers } = await get(url, { origin });
      assert.deepEqual(
        [headers['x-cache'], headers['access-control-allow-origin']],
        [cache, origin],
      );
    }
    const other = await get(url, { origin: 'https://evil.example' });
    assert.equal(JSON.parse(other.body.toString()).code, 'embed.cross-site');
  });

  it('never caches the framed document, and serves files until their tickets expire after a revocation', async (t) => {
    const { service, client, issued, folder, get, getDocument, openDocument } =
      await openServiceBehindNginx(t);
    const { url } = (await openDocument()).model;
    assert.equal((await get(url)).status, 200);
    const document = await getDocument();
    assert.deepEqual([document.status, document.headers['cache-control']], [200, 'no-store']);
    await sendRequest(client, 'DELETE', `/v1/tokens/${issued.id}`);
    assert.equal((await getDocument()).status, 401);
    assert.equal((await get(url)).status, 200);
    service.advanceTime(TICKET_MS);
    assert.equal((await get(url)).status, 403);
    // Neither tokens nor tickets are logged.
    const log = await waitUntil('the log', async () => {
      const lines = await readFile(join(folder, 'access.log'), 'utf8');
      return lines.includes('/embed/assets/') && lines;
    });
    assert.doesNotMatch(log, /token=|ticket=/);
  });

  it('serves nothing but files on the address of the CDN, and refuses other hosts elsewhere', async (t) => {
    const { design, issued, publicPort, get } = await openServiceBehindNginx(t);
    for (const path of [
      `/embed/iframe/v1/${design.id}?token=${issued.token}`,
      '/v1/designs',
      '/embed/tickets/check',
      '/livez',
      '/',
    ])
      assert.equal((await get(path)).status, 404, path);
    const response = await get('/v1/designs', { host: 'evil.example' }, { port: publicPort });
    assert.equal(response.status, 421);
  });
});
