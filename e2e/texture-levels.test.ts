import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { createGltfIo } from '@cloche/pipeline/formats/gltf/gltf-io';
import type { Page } from 'playwright-core';
import { waitUntil } from '../scripts/wait-until.ts';
import { ApiClient } from './api-client.ts';
import { openChromium } from './chromium.ts';
import { makeLargeTextureModel } from './large-texture-model.ts';
import { ServiceProcess } from './service-process.ts';
import { TestSites } from './test-sites.ts';

describe('the texture levels of an uploaded model', () => {
  it('are loaded as far as the embed can show them, and the whole model is not', async (t) => {
    const service = await ServiceProcess.open(t);
    const client = await ApiClient.create(service);
    const { body, text } = await client.upload(await makeLargeTextureModel());
    assert.equal(body.status, 'ready', text);
    const { textures = [], uvPerMeter } = body.report?.levels ?? {};
    assert.deepEqual(
      textures.map(({ size }) => size),
      [512, 1024, 2048],
    );
    assert.ok(
      Math.abs((uvPerMeter ?? 0) - 1) < 0.01,
      `${uvPerMeter}: a face of 1 m has one texture`,
    );
    const config = await client.getViewerConfig(body.id);
    await assertContents(client, config);

    const browser = await openChromium();
    t.after(() => browser.close());
    const page = await browser.newPage({ viewport: { width: 1300, height: 1000 } });
    const sites = await TestSites.open(t);
    const { url } = await client.createDocumentRequest(body.id, sites.getOrigin('shop.test'));
    const requested: string[] = [];
    page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    const html = `<iframe src="${url}" width="400" height="300"></iframe>`;
    await page.goto(sites.addPage('shop.test', '/', html));
    await waitForModel(page);
    const listPacks = () =>
      config.levels?.textures
        .filter((pack) => requested.includes(pack.url))
        .map(({ size }) => size);
    assert.deepEqual(listPacks(), [512]);
    assert.ok(requested.includes(config.levels?.geometries[0]?.url ?? ''));
    await page.locator('iframe').evaluate((iframe) => {
      Object.assign(iframe, { width: '1280', height: '960' });
    });
    await waitUntil('the next size is requested', async () => listPacks()?.includes(1024));
    assert.ok(!listPacks()?.includes(2048));
    assert.ok(!requested.includes(config.model.url), 'the whole model');
  });
});

/** The whole model has all images, the geometry one pixel for the large one, and packs only that. */
async function assertContents(client: ApiClient, config: ViewerConfig): Promise<void> {
  const io = await createGltfIo();
  const readSizes = async (url: string) => {
    const document = await io.readBinary(new Uint8Array(await client.getArtifact(config, url)));
    return document
      .getRoot()
      .listTextures()
      .map((texture) => texture.getSize()?.[0]);
  };
  const { geometries = [], textures = [] } = config.levels ?? {};
  assert.deepEqual((await readSizes(config.model.url)).sort(), [2048, 512].sort());
  assert.deepEqual((await readSizes(geometries[0]?.url ?? '')).sort(), [1, 512]);
  for (const { size, url } of textures) assert.deepEqual(await readSizes(url), [size]);
}

async function waitForModel(page: Page): Promise<void> {
  await page.frames()[1]?.waitForSelector('html[data-state="ready"]', { timeout: 120_000 });
}
