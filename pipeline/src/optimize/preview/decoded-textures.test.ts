import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Document } from '@gltf-transform/core';
import sharp from 'sharp';
import { DecodedTextures } from './decoded-textures.ts';

const SIZES = [1024, 512, 256, 64];

it('an image is decoded once, in the largest size that so many images may be kept in', async () => {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  const create = { width: 1200, height: 600, channels: 3, background: '#482', noise } as const;
  const image = new Uint8Array(await sharp({ create }).png().toBuffer());
  const document = new Document();
  const texture = document.createTexture().setImage(image).setMimeType('image/png');
  document.createMaterial().setBaseColorTexture(texture);
  for (const [count, size] of [
    [1, 1024],
    [16, 1024],
    [17, 512],
    [65, 256],
    [100_000, 64],
  ] as const) {
    const decoded = new DecodedTextures(count, SIZES);
    // The smallest one first.
    const results = await Promise.all(
      SIZES.toReversed().map((maxSize) => decoded.get(texture, image, maxSize)),
    );
    const kept = results.slice(0, SIZES.length - SIZES.indexOf(size));
    assert.equal(new Set(kept).size, 1, `${count} textures`);
    assert.equal(kept[0]?.width, size);
    assert.ok(results.slice(kept.length).every((pixels) => pixels === undefined));
  }
});
