import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import type { Design } from '@cloche/contract/design';
import { openSandbox } from '@cloche/pipeline/sandbox/sandbox';
import { skipWithout } from '../scripts/optional-programs.ts';
import { waitUntil } from '../scripts/wait-until.ts';
import { readViewerBuild } from '../server/src/embed/viewer-build.ts';
import { openTestServer } from '../server/testing/harness.ts';
import {
  issueToken,
  sendRequest,
  type TestClient,
  uploadTestDesign,
} from '../server/testing/requests.ts';
import { makeLargeTextureModel } from './large-texture-model.ts';
import { openServiceBehindNginx } from './service-behind-nginx.ts';
import { openSharedChromium } from './shared-chromium.ts';
import { TestSites } from './test-sites.ts';

/** A little less than a grant is valid at least, and more than a ticket is. */
const OPEN_MS = 11.9 * 60 * 60 * 1000;

/** The models are processed as in the running service. */
const openServerOptions = async () => ({
  maxUploadBytes: 64 * 1024 * 1024,
  processing: { modelProcessor: await openSandbox() },
});

/** Uploads a model with texture packs, and opens a page that shows it in a small iframe. */
async function openPage(t: TestContext, client: TestClient, sites: TestSites) {
  const model = Buffer.from(await makeLargeTextureModel());
  const { id, uri } = await uploadTestDesign(client, 'chair', model);
  const isReady = async () => {
    const response = await sendRequest(client, 'GET', `/v1/designs/${id}`);
    const { status, report } = response.json<Design>();
    assert.notEqual(status, 'failed', response.body);
    return status === 'ready' && (report?.levels?.textures.length ?? 0) > 1;
  };
  await waitUntil('the design is ready', isReady, { timeoutMs: 120_000 });
  const { token } = await issueToken(client, { origins: [sites.getOrigin('shop.test')] });
  const snippet = await sendRequest(client, 'POST', '/embed/iframe/v1', { uri });
  const browser = await openSharedChromium();
  t.after(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 400, height: 300 } });
  const responses: string[] = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.startsWith('/embed/assets/')) responses.push(`${response.status()} ${pathname}`);
  });
  const html = snippet.body.replace('CLOCHE_EMBED_TOKEN', token);
  await page.goto(sites.addPage('shop.test', '/', html));
  const frame = page.frameLocator('iframe');
  await frame.locator('html[data-state="ready"][data-interactive]').waitFor();
  return { frame, responses };
}

/** Zooms in. Returns the status of the requests for texture packs, until one is received. There may be another one for each step. */
async function zoomIn({ frame, responses }: Awaited<ReturnType<typeof openPage>>) {
  responses.length = 0;
  for (let step = 0; step < 12; step += 1) await frame.locator('#view').press('+');
  const isReceived = () => responses.some((response) => response.startsWith('200 '));
  await waitUntil(() => `a larger texture pack: ${responses}`, isReceived);
  assert.equal(await frame.locator('#error').isVisible(), false);
  return responses.map((response) => response.slice(0, 3));
}

it('a page that was open for hours loads larger textures when its visitor zooms in', async (t) => {
  const service = await openTestServer(t, {
    listen: true,
    viewer: await readViewerBuild(join(import.meta.dirname, '../viewer/dist')),
    ...(await openServerOptions()),
  });
  const page = await openPage(t, service, await TestSites.open(t));
  service.advanceTime(OPEN_MS);
  assert.deepEqual(new Set(await zoomIn(page)), new Set(['200']));
});

it('with a CDN, it gets a new ticket for them', { skip: skipWithout('nginx') }, async (t) => {
  const { service, client, sites } = await openServiceBehindNginx(t, await openServerOptions());
  const page = await openPage(t, client, sites);
  service.advanceTime(OPEN_MS);
  const [first] = await zoomIn(page);
  assert.equal(first, '403', 'its old ticket has expired');
});
