import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { readViewerBuild } from '../server/src/embed/viewer-build.ts';
import { createBlockingProcessor } from '../server/testing/fake-processing.ts';
import { openTestServer } from '../server/testing/harness.ts';
import { openChromium } from './chromium.ts';
import { TestSites } from './test-sites.ts';
import { makeCertificate, openTlsProxy } from './tls-proxy.ts';

const VIEWER_DIST = join(import.meta.dirname, '../viewer/dist');
const WAIT_OPTIONS = { timeout: 60_000 };

for (const secure of [true, false]) {
  const scheme = secure ? 'https' : 'plain http';
  it(`a page opened before the design is ready, over ${scheme}, shows it without a reload`, async (t) => {
    const { frame, finishProcessing } = await openBeforeReady(t, { secure });
    await frame.getByText('This page tries again automatically.').waitFor(WAIT_OPTIONS);
    await finishProcessing();
    await frame.locator('html[data-state="ready"]').waitFor(WAIT_OPTIONS);
  });
}

/** Opens a page with a design whose processing ends when the test calls `finishProcessing`. */
async function openBeforeReady(t: TestContext, { secure }: { secure: boolean }) {
  const certificate = await makeCertificate();
  const sites = await TestSites.open(t, secure ? certificate : undefined);
  const tls = await openTlsProxy(t, certificate);
  const { processor: modelProcessor, release } = createBlockingProcessor();
  const service = await openTestServer(t, {
    listen: true,
    viewer: await readViewerBuild(VIEWER_DIST),
    processing: { modelProcessor },
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
  const design = (await send('/v1/designs?name=Early', makeBox(), 'model/gltf-binary')).json();
  const snippet = await send('/embed/iframe/v1', { uri: design.uri });

  const browser = await openChromium();
  t.after(() => browser.close());
  const page = await browser.newPage({ ignoreHTTPSErrors: true });
  const html = snippet.body.replace('CLOCHE_EMBED_TOKEN', token);
  await page.goto(sites.addPage('shop.test', '/early', html));
  const finishProcessing = async () => {
    release();
    const headers = { authorization: `Bearer ${service.token}`, host };
    await service.app.inject({ url: `/v1/designs/${design.id}/events`, headers });
  };
  return { frame: page.frameLocator('iframe'), finishProcessing };
}
