import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { type RgbImage, ssim } from '../bench/optimize/ssim.ts';
import { ApiClient } from './api-client.ts';
import { openChromium } from './chromium.ts';
import {
  makeSkinnedModel,
  makeTexturedModel,
  makeVertexColouredModel,
} from './round-trip-models.ts';
import { captureModel, MIN_SSIM } from './round-trip-screenshot.ts';
import { ServiceProcess } from './service-process.ts';

describe('what comes out looks like what went in', () => {
  let browser: Browser;
  before(async () => {
    browser = await openChromium();
  });
  after(() => browser.close());

  it('textures, colours of vertices, and a skin', async (t) => {
    const service = await ServiceProcess.open(t);
    const owner = await ApiClient.create(service);
    const models: [name: string, model: Buffer, animations: number][] = [
      ['textured', await makeTexturedModel(), 1],
      ['coloured', makeVertexColouredModel(), 0],
      ['skinned', makeSkinnedModel(), 1],
    ];
    const pictures = new Map<string, RgbImage>();
    for (const [name, model, animations] of models) {
      const { body, text } = await owner.upload(model);
      assert.equal(body.status, 'ready', text);
      assert.equal(body.stats?.animations, animations, name);
      const made = await owner.getArtifact(await owner.getViewerConfig(body.id));
      const original = await captureModel(t, browser, model);
      const alike = ssim(original, await captureModel(t, browser, made));
      t.diagnostic(`${name}: ${model.length} bytes, then ${made.length}; SSIM ${alike.toFixed(4)}`);
      assert.ok(alike >= MIN_SSIM, `${name}: ${alike}`);
      pictures.set(name, original);
    }
    const [textured, coloured] = [pictures.get('textured'), pictures.get('coloured')];
    assert.ok(
      textured && coloured && ssim(textured, coloured) < MIN_SSIM,
      'all pictures are alike',
    );
  });
});
