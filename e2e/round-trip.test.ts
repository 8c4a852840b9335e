import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { type Picture, ssim } from '../bench/optimize/ssim.ts';
import { openChromium } from './chromium.ts';
import { Owner } from './owner.ts';
import { RealService } from './real-service.ts';
import { makeColoured, makeSkinned, makeTextured } from './round-trip.models.ts';
import { LEAST, photograph } from './round-trip.picture.ts';

describe('what comes out looks like what went in', () => {
  let browser: Browser;
  before(async () => {
    browser = await openChromium();
  });
  after(() => browser.close());

  it('textures, colours of vertices, and a skin', async (t) => {
    const service = await RealService.open(t);
    const owner = await Owner.of(service);
    const models: [name: string, model: Buffer, animations: number][] = [
      ['textured', await makeTextured(), 1],
      ['coloured', makeColoured(), 0],
      ['skinned', makeSkinned(), 1],
    ];
    const pictures = new Map<string, Picture>();
    for (const [name, model, animations] of models) {
      const { view, text } = await owner.send(model);
      assert.equal(view.status, 'ready', text);
      assert.equal(view.stats?.animations, animations, name);
      const made = await owner.artifact(await owner.framed(view.id));
      const original = await photograph(t, browser, model);
      const alike = ssim(original, await photograph(t, browser, made));
      t.diagnostic(`${name}: ${model.length} bytes, then ${made.length}; SSIM ${alike.toFixed(4)}`);
      assert.ok(alike >= LEAST, `${name}: ${alike}`);
      pictures.set(name, original);
    }
    const [textured, coloured] = [pictures.get('textured'), pictures.get('coloured')];
    assert.ok(textured && coloured && ssim(textured, coloured) < LEAST, 'all pictures are alike');
  });
});
