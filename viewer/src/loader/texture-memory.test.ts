import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Source } from 'three';
import { fitsDevice } from './texture-memory.ts';

describe('the memory for the images of a model', () => {
  const rows: [
    reason: string,
    device: { deviceMemory?: number; maxTouchPoints?: number; maxTextureSize?: number },
    imageCount: number,
    is4096Allowed: boolean,
  ][] = [
    ['6 images on a device with 8 GiB', { deviceMemory: 8 }, 6, true],
    ['7 images on a device with 8 GiB', { deviceMemory: 8 }, 7, false],
    ['3 images on a device with 4 GiB', { deviceMemory: 4 }, 3, true],
    ['4 images on a device with 4 GiB', { deviceMemory: 4 }, 4, false],
    ['one image on a device with 1 GiB', { deviceMemory: 1 }, 1, false],
    ['6 images with a mouse, if the memory is not known', {}, 6, true],
    ['3 images on a touch screen, if the memory is not known', { maxTouchPoints: 5 }, 3, true],
    ['4 images on a touch screen, if the memory is not known', { maxTouchPoints: 5 }, 4, false],
    ['a graphics card with textures of 2048 pixels', { maxTextureSize: 2048 }, 1, false],
  ];
  for (const [reason, device, imageCount, is4096Allowed] of rows) {
    it(`${reason}: ${is4096Allowed ? '4096 pixels' : 'not 4096 pixels'}`, () => {
      const { deviceMemory, maxTouchPoints = 0, maxTextureSize = 16_384 } = device;
      const shown = {
        sources: Array.from({ length: imageCount }, () => new Source({ width: 512, height: 512 })),
        size: 512,
        capabilities: { maxTextureSize },
        navigator: { maxTouchPoints, ...(deviceMemory && { deviceMemory }) },
      };
      assert.equal(
        fitsDevice({ size: 4096 }, shown),
        is4096Allowed,
        'the pack of an older version',
      );
      assert.equal(
        fitsDevice({ size: 4096, pixels: imageCount * 4096 ** 2 }, shown),
        is4096Allowed,
      );
      const isLarge = maxTextureSize < 4096;
      assert.equal(fitsDevice({ size: 4096, pixels: 512 ** 2 }, shown), !isLarge);
      const small = { size: 8192, imageSize: 2048, pixels: 512 ** 2 };
      assert.equal(fitsDevice(small, shown), true, 'the size of a pack is not that of its images');
    });
  }
});
