import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import type { Frame, Page, Route } from 'playwright-core';
import {
  isGreen,
  readScreenPixels,
  waitForStablePicture,
  waitUntil,
} from '../viewer/testing/embedded-viewer.ts';
import { ApiClient } from './api-client.ts';
import { openChromium } from './chromium.ts';
import { makeHighPolyModel } from './round-trip-models.ts';
import { ServiceProcess } from './service-process.ts';
import { directedHausdorffDistance, findSilhouette, type PixelPosition } from './silhouette.ts';
import { TestSites } from './sites.ts';

const MAX_DISTANCE_PIXELS = 2;

describe('a preview, made of an upload by the real service', () => {
  it('comes first, and has the outline of the model that takes its place', async (t) => {
    const service = await ServiceProcess.open(t);
    const owner = await ApiClient.create(service);
    const { body, text } = await owner.upload(makeHighPolyModel());
    assert.equal(body.status, 'ready', text);
    const framed = await owner.getViewerConfig(body.id);
    await assertPreviewSizes(owner, framed, body.report?.previewBytes);

    const sites = await TestSites.open(t);
    const { url } = await owner.createDocumentRequest(body.id, sites.getOrigin('shop.test'));
    const html = `<style>body{margin:0}</style><iframe src="${url}" width="480" height="360" style="border:0;display:block"></iframe>`;
    const browser = await openChromium();
    t.after(() => browser.close());
    const page = await browser.newPage({
      viewport: { width: 480, height: 360 },
      reducedMotion: 'reduce',
    });
    const line = await holdModelRequests(page, framed);
    await page.goto(sites.addPage('shop.test', '/', html));

    await waitUntil('the preview is asked for', async () => line.asked.length > 0);
    // The viewer's script has run; long enough to ask for more, if it would.
    await page.waitForTimeout(500);
    assert.deepEqual(line.asked, ['preview'], 'before the preview was answered');
    line.letGo('preview');
    const before = await captureSilhouette(page, 'preview');
    assert.deepEqual(line.asked, ['preview', 'model'], 'once the preview was there');
    line.letGo('model');
    const after = await captureSilhouette(page, 'ready');
    assert.deepEqual(line.asked, ['preview', 'model'], 'in the end');

    assert.ok(before.length > 500, `an outline of ${before.length} pixels`);
    const apart = Math.max(
      directedHausdorffDistance(before, after),
      directedHausdorffDistance(after, before),
    );
    t.diagnostic(`${before.length} pixels of outline, ${apart.toFixed(1)} apart at most`);
    assert.ok(apart <= MAX_DISTANCE_PIXELS, `${apart} pixels`);
  });
});

async function assertPreviewSizes(
  owner: ApiClient,
  framed: ViewerConfig,
  reported: number | undefined,
) {
  const { preview } = framed;
  assert.ok(preview, 'there is no preview');
  assert.ok(framed.model.bytes > 150_000, `${framed.model.bytes} bytes`);
  const bytes = (await owner.getArtifact(framed, preview.url)).length;
  assert.ok(bytes > 0 && bytes <= 100_000, `${bytes} bytes`);
  assert.deepEqual([preview.bytes, reported], [bytes, bytes]);
}

/** Holds the files of the design back until they are let go; tells which were asked for. */
async function holdModelRequests(page: Page, { model, preview }: ViewerConfig) {
  const asked: string[] = [];
  const gates = { preview: Promise.withResolvers<void>(), model: Promise.withResolvers<void>() };
  const hold = async (name: 'preview' | 'model', path: string) => {
    await page.route(`**${path}`, async (route: Route) => {
      asked.push(name);
      await gates[name].promise;
      await route.continue();
    });
  };
  await hold('preview', preview?.url ?? '');
  await hold('model', model.url);
  return { asked, letGo: (name: 'preview' | 'model') => gates[name].resolve() };
}

/** What is seen of the design when the frame has come to that state, and stands still. */
async function captureSilhouette(page: Page, state: 'preview' | 'ready'): Promise<PixelPosition[]> {
  const frame = page.frames()[1] as Frame;
  await frame.waitForSelector(`html[data-state="${state}"]`);
  await frame.evaluate(() => {
    for (const over of document.querySelectorAll('main > :not(#view), #view > :not(canvas)')) {
      (over as HTMLElement).style.visibility = 'hidden';
    }
  });
  await waitForStablePicture(page);
  return findSilhouette(await readScreenPixels(page), isGreen);
}
