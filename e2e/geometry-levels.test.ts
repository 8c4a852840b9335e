import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeGridGlb } from '@cloche/pipeline/testing/models';
import { waitUntil } from '../scripts/wait-until.ts';
import { ApiClient } from './api-client.ts';
import { ServiceProcess } from './service-process.ts';
import { openSharedChromium } from './shared-chromium.ts';
import { TestSites } from './test-sites.ts';

const TRIANGLES = 200_000;

describe('the geometry levels of an uploaded model', () => {
  it('are loaded as far as the embed can show them', async (t) => {
    const service = await ServiceProcess.open(t);
    const client = await ApiClient.create(service);
    const { body, text } = await client.upload(
      makeGridGlb(TRIANGLES, { roughness: 0.015, hasNormals: true }),
    );
    assert.equal(body.status, 'ready', text);
    const { geometries = [], textures } = body.report?.levels ?? {};
    const [small, first, full] = geometries;
    assert.ok(small?.maxSize && small.maxSize >= 320 && small.maxSize < 500, text);
    assert.ok(first && first.triangles <= 150_000 && first.triangles > 100_000, text);
    assert.equal(full?.triangles, body.stats?.triangles);
    assert.deepEqual(textures, []);
    const { levels, model } = await client.getViewerConfig(body.id);
    const [smallUrl = '', firstUrl = '', fullUrl] = levels?.geometries.map(({ url }) => url) ?? [];
    assert.equal(fullUrl, model.url);

    const browser = await openSharedChromium();
    t.after(() => browser.close());
    const viewport = { width: 1000, height: 800 };
    const page = await browser.newPage({ viewport, deviceScaleFactor: 2 });
    const errors: string[] = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    const requested: string[] = [];
    page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    const sites = await TestSites.open(t);
    const { url } = await client.createDocumentRequest(body.id, sites.getOrigin('shop.test'));
    const html = `<iframe src="${url}" width="240" height="160"></iframe>`;
    await page.goto(sites.addPage('shop.test', '/', html));
    await page.frames()[1]?.waitForSelector('html[data-interactive][data-state="ready"]', {
      timeout: 120_000,
    });
    assert.ok(requested.includes(smallUrl));
    for (const larger of [firstUrl, model.url])
      assert.ok(!requested.includes(larger), `${larger} in a small iframe`);
    await page.locator('iframe').evaluate((iframe) => {
      Object.assign(iframe, { width: '980', height: '780' });
    });
    await waitUntil('the full geometry is requested', async () => requested.includes(model.url));
    assert.deepEqual(errors, []);
  });
});
