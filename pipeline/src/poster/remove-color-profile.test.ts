import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { removeColorProfile } from './remove-color-profile.ts';

/** Encodes an image with 5 by 3 pixels. */
async function encode(profile: boolean): Promise<Buffer> {
  const pixels = Buffer.from(Array.from({ length: 60 }, (_, index) => (index * 37) % 256));
  const image = sharp(pixels, { raw: { width: 5, height: 3, channels: 4 } });
  return (profile ? image.withIccProfile('srgb') : image).webp({ quality: 90 }).toBuffer();
}

describe('removeColorProfile', () => {
  it('removes the profile and keeps the pixels', async () => {
    const image = await encode(true);
    assert.ok((await sharp(image).metadata()).hasProfile);
    const smaller = removeColorProfile(image);
    assert.ok(smaller.length < image.length - 400, `${smaller.length} of ${image.length} bytes`);
    const { hasProfile, width, height, hasAlpha } = await sharp(smaller).metadata();
    assert.deepEqual([hasProfile, width, height, hasAlpha], [false, 5, 3, true]);
    assert.deepEqual(await sharp(smaller).raw().toBuffer(), await sharp(image).raw().toBuffer());
    // The size of the file, and no flag for a profile.
    assert.equal(new DataView(smaller.buffer).getUint32(4, true), smaller.length - 8);
    assert.equal((smaller[20] as number) & 0x20, 0);
  });

  it('returns an image without a profile as it is', async () => {
    const image = await encode(false);
    assert.deepEqual(Buffer.from(removeColorProfile(image)), image);
  });
});
