import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import type { ModelProcessor } from '@cloche/pipeline/model-processor';
import { openSandbox } from '@cloche/pipeline/sandbox/sandbox';
import { makeBox, makeUnpackedBox } from '@cloche/pipeline/testing/models';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { waitUntil } from '../scripts/wait-until.ts';
import { readViewerBuild } from '../server/src/embed/viewer-build.ts';
import {
  type BlockingProcessor,
  createBlockingProcessor,
} from '../server/testing/fake-processing.ts';
import { openTestServer } from '../server/testing/harness.ts';
import {
  isGreen,
  readScreenPixels,
  waitForStablePicture,
} from '../viewer/testing/embedded-viewer.ts';
import { packWithImage } from './pack-with-image.ts';
import { openSharedChromium } from './shared-chromium.ts';
import { directedHausdorffDistance, findSilhouette, type PixelPosition } from './silhouette.ts';
import { TestSites } from './test-sites.ts';
import { makeCertificate, openTlsProxy } from './tls-proxy.ts';

const VIEWER_DIST = join(import.meta.dirname, '../viewer/dist');
const WAIT_OPTIONS = { timeout: 120_000 };
const MAX_DISTANCE_PIXELS = 4;

for (const secure of [true, false]) {
  const scheme = secure ? 'https' : 'plain http';
  it(`a page opened before the design is ready, over ${scheme}, shows it without a reload`, async (t) => {
    const { frame, finishProcessing } = await openBeforeReady(t, {
      secure,
      ...createBlockingProcessor(),
    });
    await frame.getByText('This page tries again automatically.').waitFor(WAIT_OPTIONS);
    await finishProcessing();
    await frame.locator('html[data-state="ready"]').waitFor(WAIT_OPTIONS);
  });
}

it('a listed page shows the preview of a large model, then the model, in the same document; another page neither', async (t) => {
  const { page, frame, openUnlistedPage, finishProcessing } = await openBeforeReady(t, {
    secure: true,
    model: await makeGreenNoiseModel(),
    ...(await openHeldSandbox()),
  });
  const modelRequests = countRequests(page, '/embed/model');
  const unlisted = await openUnlistedPage();
  const unlistedAssets = countRequests(unlisted, '/embed/assets/');

  // The error page of a design that is not ready loads itself again, and then has the preview.
  await frame.locator('html[data-state="preview"]').waitFor(WAIT_OPTIONS);
  await frame.locator('html').evaluate((html) => html.setAttribute('data-same-document', ''));
  const preview = await captureGreenPixels(page);
  await waitUntil('the model is asked for', async () => modelRequests() > 0);
  await unlisted.reload();
  await unlisted.frameLocator('iframe').getByText('This 3D view is not available').waitFor();
  assert.equal((await captureGreenPixels(unlisted)).length, 0);

  await finishProcessing();
  await frame.locator('html[data-state="ready"][data-same-document]').waitFor(WAIT_OPTIONS);
  const model = await captureGreenPixels(page);
  assert.ok(preview.length > 200, `the silhouette of the preview has ${preview.length} pixels`);
  const distance = Math.max(
    directedHausdorffDistance(preview, model),
    directedHausdorffDistance(model, preview),
  );
  assert.ok(distance <= MAX_DISTANCE_PIXELS, `${distance} pixels`);
  const requestsUntilReady = modelRequests();
  await unlisted.reload();
  await unlisted.frameLocator('iframe').getByText('This 3D view is not available').waitFor();
  assert.equal((await captureGreenPixels(unlisted)).length, 0);
  assert.equal(unlistedAssets(), 0);
  assert.equal(modelRequests(), requestsUntilReady, 'after the model is ready');
});

/** A model whose image is so large that its preview is made early. */
async function makeGreenNoiseModel(): Promise<Buffer> {
  const side = 1600;
  const pixels = randomBytes(3 * side * side).map((byte, index) =>
    index % 3 === 1 ? 128 + (byte >> 1) : byte >> 3,
  );
  const raw = { width: side, height: side, channels: 3 } as const;
  const image = await sharp(pixels, { raw }).png().toBuffer();
  return packWithImage(makeUnpackedBox({ textured: true, color: [1, 1, 1] }), image);
}

/** The worker process of the service. Its result is held back until `release`. */
async function openHeldSandbox(): Promise<Pick<BlockingProcessor, 'processor' | 'release'>> {
  const sandbox = await openSandbox();
  const released = Promise.withResolvers<void>();
  const processor: ModelProcessor = {
    async run(directory, options) {
      const result = await sandbox.run(directory, options);
      await released.promise;
      return result;
    },
  };
  return { processor, release: released.resolve };
}

function countRequests(page: Page, path: string): () => number {
  let count = 0;
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.startsWith(path)) count += 1;
  });
  return () => count;
}

/** Captures the outline of the green model, when nothing moves. */
async function captureGreenPixels(page: Page): Promise<PixelPosition[]> {
  await waitForStablePicture(page);
  return findSilhouette(await readScreenPixels(page), isGreen);
}

/** Opens a page with a design whose processing ends when the test calls `finishProcessing`. */
async function openBeforeReady(
  t: TestContext,
  {
    secure,
    model = makeBox(),
    processor,
    release,
  }: { secure: boolean; model?: Buffer } & Pick<BlockingProcessor, 'processor' | 'release'>,
) {
  const certificate = await makeCertificate();
  const sites = await TestSites.open(t, secure ? certificate : undefined);
  const tls = await openTlsProxy(t, certificate);
  const service = await openTestServer(t, {
    listen: true,
    viewer: await readViewerBuild(VIEWER_DIST),
    processing: { modelProcessor: processor },
    ...(secure && { publicUrl: `https://cloche.test:${tls.port}` }),
  });
  tls.setTarget(Number(new URL(service.origin).port));
  const host = secure ? `cloche.test:${tls.port}` : new URL(service.origin).host;

  const send = async (url: string, payload: object, type = 'application/json') => {
    const headers = { authorization: `Bearer ${service.token}`, host, 'content-type': type };
    const response = await service.app.inject({ method: 'POST', url, headers, payload });
    assert.ok(response.statusCode < 300, response.body);
    return response;
  };
  const origins = [sites.getOrigin('shop.test')];
  const tokenRequest = { capabilities: ['embed'], origins, type: 'api', user: '~' };
  const { token } = (await send('/v1/tokens', tokenRequest)).json();
  const design = (await send('/v1/designs?name=Early', model, 'model/gltf-binary')).json();
  const snippet = await send('/embed/iframe/v1', { uri: design.uri });

  const browser = await openSharedChromium();
  t.after(() => browser.close());
  const page = await browser.newPage({ ignoreHTTPSErrors: true });
  const html = snippet.body.replace('CLOCHE_EMBED_TOKEN', token);
  await page.goto(sites.addPage('shop.test', '/early', html));
  const finishProcessing = async () => {
    release();
    const headers = { authorization: `Bearer ${service.token}`, host };
    await service.app.inject({ url: `/v1/designs/${design.id}/events`, headers });
  };
  const openUnlistedPage = async () => {
    const unlisted = await browser.newPage({ ignoreHTTPSErrors: true });
    await unlisted.goto(sites.addPage('evil.test', '/early', html));
    return unlisted;
  };
  return { page, frame: page.frameLocator('iframe'), openUnlistedPage, finishProcessing };
}
