import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApiClient } from './api-client.ts';
import {
  makeSkinnedModel,
  makeTexturedModel,
  makeVertexColoredModel,
} from './round-trip-models.ts';
import { captureModel, MIN_SSIM } from './round-trip-screenshot.ts';
import { ServiceProcess } from './service-process.ts';
import { openSharedChromium, type SharedBrowser } from './shared-chromium.ts';
import { type RgbImage, ssim } from './ssim.ts';

describe('a processed model looks like its source file', () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  it('with textures, vertex colors, and a skin', async (t) => {
    const service = await ServiceProcess.open(t);
    const client = await ApiClient.create(service);
    const models: [name: string, model: Buffer, animations: number][] = [
      ['textured', await makeTexturedModel(), 1],
      ['vertex colors', makeVertexColoredModel(), 0],
      ['skinned', makeSkinnedModel(), 1],
    ];
    const screenshots = new Map<string, RgbImage>();
    for (const [name, model, animations] of models) {
      const { body, text } = await client.upload(model);
      assert.equal(body.status, 'ready', text);
      assert.equal(body.stats?.animations, animations, name);
      const optimized = await client.getArtifact(await client.getViewerConfig(body.id));
      const original = await captureModel(t, browser, model);
      const similarity = ssim(original, await captureModel(t, browser, optimized));
      t.diagnostic(
        `${name}: ${model.length} bytes, then ${optimized.length}; SSIM ${similarity.toFixed(4)}`,
      );
      assert.ok(similarity >= MIN_SSIM, `${name}: ${similarity}`);
      screenshots.set(name, original);
    }
    const [textured, colored] = [screenshots.get('textured'), screenshots.get('vertex colors')];
    assert.ok(
      textured && colored && ssim(textured, colored) < MIN_SSIM,
      'screenshots of different models are similar',
    );
  });
});
