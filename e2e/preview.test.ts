import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import type { Frame, Page, Route } from 'playwright-core';
import { waitUntil } from '../scripts/wait-until.ts';
import {
  isGreen,
  readScreenPixels,
  waitForStablePicture,
} from '../viewer/testing/embedded-viewer.ts';
import { ApiClient } from './api-client.ts';
import { makeHighPolyModel } from './round-trip-models.ts';
import { ServiceProcess } from './service-process.ts';
import { openSharedChromium } from './shared-chromium.ts';
import { directedHausdorffDistance, findSilhouette, type PixelPosition } from './silhouette.ts';
import { TestSites } from './test-sites.ts';

const MAX_DISTANCE_PIXELS = 2;

describe('the preview of an uploaded model', () => {
  it('is shown first, and has the silhouette of the model that replaces it', async (t) => {
    const service = await ServiceProcess.open(t);
    const client = await ApiClient.create(service);
    const { body, text } = await client.upload(makeHighPolyModel());
    assert.equal(body.status, 'ready', text);
    const config = await client.getViewerConfig(body.id);
    await assertPreviewSizes(client, config, body.report?.previewBytes);

    const sites = await TestSites.open(t);
    const { url } = await client.createDocumentRequest(body.id, sites.getOrigin('shop.test'));
    const html = `<style>body{margin:0}</style><iframe src="${url}" width="480" height="360" style="border:0;display:block"></iframe>`;
    const browser = await openSharedChromium();
    t.after(() => browser.close());
    const page = await browser.newPage({
      viewport: { width: 480, height: 360 },
      reducedMotion: 'reduce',
    });
    const requests = await delayModelRequests(page, config);
    await page.goto(sites.addPage('shop.test', '/', html));

    await waitUntil('the preview is requested', async () => requests.requested.length > 0);
    // Long enough for the viewer to request the model too early.
    await page.waitForTimeout(500);
    assert.deepEqual(requests.requested, ['preview'], 'before the preview is loaded');
    requests.release('preview');
    const before = await captureSilhouette(page, 'preview');
    await waitUntil('the model is requested', async () => requests.requested.length > 1);
    assert.deepEqual(requests.requested, ['preview', 'model'], 'once the preview is loaded');
    requests.release('model');
    const after = await captureSilhouette(page, 'ready');
    assert.deepEqual(requests.requested, ['preview', 'model'], 'at the end');

    assert.ok(before.length > 500, `the silhouette has ${before.length} pixels`);
    const distance = Math.max(
      directedHausdorffDistance(before, after),
      directedHausdorffDistance(after, before),
    );
    t.diagnostic(
      `${before.length} pixels in the silhouette, maximum distance ${distance.toFixed(1)}`,
    );
    assert.ok(distance <= MAX_DISTANCE_PIXELS, `${distance} pixels`);
  });
});

async function assertPreviewSizes(
  client: ApiClient,
  config: ViewerConfig,
  reported: number | undefined,
) {
  const { preview } = config;
  assert.ok(preview, 'there is no preview');
  assert.ok(config.model.bytes > 150_000, `${config.model.bytes} bytes`);
  const bytes = (await client.getArtifact(config, preview.url)).length;
  assert.ok(bytes > 0 && bytes <= 100_000, `${bytes} bytes`);
  assert.deepEqual([preview.bytes, reported], [bytes, bytes]);
}

/** Delays the responses for the model, in all geometries, and for the preview until they are released; records the requests. */
async function delayModelRequests(page: Page, { model, levels, preview }: ViewerConfig) {
  const requested: string[] = [];
  const releases = { preview: Promise.withResolvers<void>(), model: Promise.withResolvers<void>() };
  const delay = async (name: 'preview' | 'model', path: string) => {
    await page.route(`**${path}`, async (route: Route) => {
      requested.push(name);
      await releases[name].promise;
      await route.continue();
    });
  };
  await delay('preview', preview?.url ?? '');
  for (const { url } of levels?.geometries ?? [model]) await delay('model', url);
  return { requested, release: (name: 'preview' | 'model') => releases[name].resolve() };
}

/** Waits for a state of the viewer and captures the silhouette of the design, without controls. */
async function captureSilhouette(page: Page, state: 'preview' | 'ready'): Promise<PixelPosition[]> {
  const frame = page.frames()[1] as Frame;
  await frame.waitForSelector(`html[data-state="${state}"]`);
  // A style sheet also hides what is added later.
  await frame.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      'main > :not(#view), #view > :not(canvas) { visibility: hidden !important; }',
    );
    document.adoptedStyleSheets.push(sheet);
  });
  await waitForStablePicture(page);
  return findSilhouette(await readScreenPixels(page), isGreen);
}
