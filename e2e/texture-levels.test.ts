import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Design } from '@cloche/contract/design';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { createGltfIo } from '@cloche/pipeline/formats/gltf/gltf-io';
import type { Page } from 'playwright-core';
import { waitUntil } from '../scripts/wait-until.ts';
import { ApiClient } from './api-client.ts';
import { makeLargeTextureModel } from './large-texture-model.ts';
import { ServiceProcess } from './service-process.ts';
import { openSharedChromium } from './shared-chromium.ts';
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
      [384, 768, 1024, 2048],
    );
    assert.ok(
      Math.abs((uvPerMeter ?? 0) - 1) < 0.01,
      `${uvPerMeter}: a face of 1 m has one texture`,
    );
    const config = await client.getViewerConfig(body.id);
    await assertContents(client, config);

    const browser = await openSharedChromium();
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
    assert.deepEqual(listPacks(), [384]);
    assert.ok(requested.includes(config.levels?.geometries[0]?.url ?? ''));
    await page.locator('iframe').evaluate((iframe) => {
      Object.assign(iframe, { width: '1280', height: '960' });
    });
    await waitUntil('the next size is requested', async () => listPacks()?.includes(768));
    assert.deepEqual(listPacks(), [384, 768]);
    assert.ok(!requested.includes(config.model.url), 'the whole model');
  });

  it('have 4096 pixels if the owner wants it, for visitors who zoom in on a large embed', async (t) => {
    const service = await ServiceProcess.open(t);
    const client = await ApiClient.create(service);
    const source = await makeLargeTextureModel(4096);
    const { body: uploaded } = await client.upload(source);
    const { id } = uploaded;
    assert.deepEqual(listSizes(uploaded), [384, 768, 1024, 2048]);
    const [warning] = uploaded.report?.warnings ?? [];
    assert.equal(warning?.code, 'textures.reduced');
    assert.match(warning.message, /^A texture of 4096 × 4096 pixels was made smaller/);

    const patched = await client.request(`/v1/designs/${id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: '{"maxTextureSize":4096}',
    });
    assert.deepEqual(
      listSizes((await patched.json()) as Design),
      [384, 768, 1024, 2048],
      'as before',
    );
    const path = `/v1/designs/${id}/model`;
    const { body: replaced } = await client.upload(source, { path });
    assert.deepEqual(listSizes(replaced), [384, 768, 1024, 2048, 4096], JSON.stringify(replaced));
    assert.deepEqual(replaced.report?.warnings, []);

    const browser = await openSharedChromium();
    t.after(() => browser.close());
    const sites = await TestSites.open(t);
    const { url } = await client.createDocumentRequest(id, sites.getOrigin('shop.test'));
    const { levels } = await client.getViewerConfig(id);
    const open = async (size: { width: number; height: number }) => {
      const page = await browser.newPage({ viewport: { width: 1300, height: 1000 } });
      // The machine may have less.
      await page.addInitScript(() =>
        Object.defineProperty(navigator, 'deviceMemory', { value: 8 }),
      );
      const requested: string[] = [];
      page.on('request', (request) => requested.push(new URL(request.url()).pathname));
      const html = `<iframe src="${url}" width="${size.width}" height="${size.height}"></iframe>`;
      await page.goto(sites.addPage('shop.test', `/${size.width}`, html));
      await waitForModel(page);
      const zoomIn = async () => {
        for (let step = 0; step < 12; step++) await page.frames()[1]?.locator('#view').press('+');
      };
      const listPacks = () =>
        levels?.textures.filter((pack) => requested.includes(pack.url)).map(({ size }) => size);
      return { zoomIn, listPacks };
    };
    const small = await open({ width: 300, height: 200 });
    assert.deepEqual(small.listPacks(), [384]);
    await small.zoomIn();
    await waitUntil('a larger size is requested', async () => small.listPacks()?.includes(768));
    const large = await open({ width: 1280, height: 960 });
    assert.ok(!large.listPacks()?.includes(4096), 'not at first');
    await large.zoomIn();
    await waitUntil('the largest size is requested', async () => large.listPacks()?.includes(4096));
    assert.ok(!small.listPacks()?.includes(4096));
  });
});

const listSizes = ({ report }: Pick<Design, 'report'>) =>
  report?.levels?.textures.map(({ size }) => size);

/** The whole model has all images, the geometry one pixel for each, and packs have nothing else. */
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
  assert.deepEqual(await readSizes(geometries[0]?.url ?? ''), [1, 1]);
  for (const { size, url } of textures) {
    const sizes = [size, size === 384 ? 384 : 512];
    assert.deepEqual((await readSizes(url)).sort(), sizes.sort());
  }
}

async function waitForModel(page: Page): Promise<void> {
  // The keys work when the controls are there.
  const ready = 'html[data-state="ready"][data-interactive]';
  await page.frames()[1]?.waitForSelector(ready, { state: 'attached', timeout: 120_000 });
}
