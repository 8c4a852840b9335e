import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { readViewerBuild } from '../server/src/embed/viewer-build.ts';
import { createBlockingProcessor } from '../server/testing/fake-processing.ts';
import { openTestServer } from '../server/testing/harness.ts';
import { openChromium } from './chromium.ts';
import { TestSites } from './sites.ts';
import { makeCertificate, openTlsProxy } from './tls-proxy.ts';

const VIEWER_DIST = join(import.meta.dirname, '../viewer/dist');
const WAIT_OPTIONS = { timeout: 60_000 };

it('a page that comes too early over https shows the design by itself', async (t) => {
  const { frame, makeReady } = await openBeforeReady(t, { secure: true });
  await frame.getByText('It is tried again by itself.').waitFor(WAIT_OPTIONS);
  await makeReady();
  await frame.locator('html[data-state="ready"]').waitFor(WAIT_OPTIONS);
});

it('a page that comes too early over plain http shows the design when it is reloaded', async (t) => {
  const { page, frame, makeReady } = await openBeforeReady(t, { secure: false });
  await frame.getByText('Then reload the page.').waitFor(WAIT_OPTIONS);
  await makeReady();
  await page.reload();
  await frame.locator('html[data-state="ready"]').waitFor(WAIT_OPTIONS);
});

/** A page with a design whose model is made when the test says so. */
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
  tls.leadTo(Number(new URL(service.origin).port));
  const host = secure ? `cloche.test:${tls.port}` : new URL(service.origin).host;

  const send = async (url: string, payload: object, type = 'application/json') => {
    const headers = { authorization: `Bearer ${service.token}`, host, 'content-type': type };
    const answer = await service.app.inject({ method: 'POST', url, headers, payload });
    assert.ok(answer.statusCode < 300, answer.body);
    return answer;
  };
  const origins = [sites.getOrigin('shop.test')];
  const wish = { capabilities: ['embed'], origins, type: 'api', user: '~' };
  const { token } = (await send('/v1/tokens', wish)).json();
  const design = (await send('/v1/designs?name=Early', makeBox(), 'model/gltf-binary')).json();
  const snippet = await send('/embed/iframe/v1', { uri: design.uri });

  const browser = await openChromium();
  t.after(() => browser.close());
  const page = await browser.newPage({ ignoreHTTPSErrors: true });
  const html = snippet.body.replace('CLOCHE_EMBED_TOKEN', token);
  await page.goto(sites.addPage('shop.test', '/early', html));
  const makeReady = async () => {
    release();
    const headers = { authorization: `Bearer ${service.token}`, host };
    await service.app.inject({ url: `/v1/designs/${design.id}/events`, headers });
  };
  return { page, frame: page.frameLocator('iframe'), makeReady };
}
