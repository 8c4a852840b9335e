import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listImageSizes, type PackedTexture, selectPacks } from './texture-levels.ts';

/** A square texture, with the images that `encodeTexture` makes of it. */
function createTexture(side: number, sizeRatio = 1): PackedTexture {
  const sizes = listImageSizes(sizeRatio).filter((size) => size <= 0.75 * side);
  const smaller = new Map(sizes.map((size) => [size, { image: new Uint8Array(), mimeType: '' }]));
  return { images: { width: side, height: side, smaller }, sizeRatio };
}

describe('texture packs', () => {
  const rows: [reason: string, textures: PackedTexture[], packs: number[][] | undefined][] = [
    ['of one texture', [createTexture(2048)], [[384], [768], [1024], [2048]]],
    [
      'keep the full image of a smaller texture',
      [createTexture(4096), createTexture(700)],
      [
        [384, 384],
        [768, 700],
        [1024, 700],
        [2048, 700],
        [4096, 700],
      ],
    ],
    [
      'of another size',
      [createTexture(1500), createTexture(1500)],
      [
        [384, 384],
        [768, 768],
        [1024, 1024],
        [1500, 1500],
      ],
    ],
    ['with few pixels', [createTexture(1024)], undefined],
    [
      'with the pixels of many textures',
      [createTexture(1024), createTexture(1024), createTexture(1024)],
      [
        [384, 384, 384],
        [768, 768, 768],
        [1024, 1024, 1024],
      ],
    ],
    [
      'of textures that cover the surface more densely',
      [createTexture(2048), createTexture(2048, 0.4), createTexture(2048, 0.1)],
      [
        [384, 192, 64],
        [768, 384, 96],

        [2048, 1024, 256],
        [2048, 2048, 512],
        [2048, 2048, 2048],
      ],
    ],
    [
      'of a texture that covers a small part less densely',
      [createTexture(2048), createTexture(2048, 3)],
      [
        [384, 1536],
        [768, 2048],
        [2048, 2048],
      ],
    ],
  ];
  for (const [reason, textures, expected] of rows)
    it(`${reason}: ${expected?.length ?? 'none'}`, () => {
      const packs = selectPacks(textures);
      assert.deepEqual(
        packs?.map(({ imageSizes }) => imageSizes),
        expected,
      );
      for (const { pixels, imageSizes } of packs ?? [])
        assert.equal(
          pixels,
          imageSizes.reduce((sum, size) => sum + size ** 2, 0),
        );
      const sizes = packs?.map(({ size }) => size) ?? [];
      assert.deepEqual(
        sizes,
        [...new Set(sizes)].sort((a, b) => a - b),
        'ascending',
      );
    });

  it('count the pixels of images that are not square', () => {
    const texture = createTexture(4096);
    const packs = selectPacks([{ ...texture, images: { ...texture.images, height: 2048 } }]);
    assert.deepEqual(
      packs?.map(({ pixels }) => pixels),
      [384, 768, 1024, 2048, 4096].map((width) => (width * width) / 2),
    );
  });

  it('the size of the one with all images is where all have the same density, or twice the size before', () => {
    const getLast = (ratio: number) =>
      selectPacks([createTexture(2048), createTexture(2048, ratio)])?.at(-1);
    assert.equal(getLast(1)?.size, 2048);
    assert.equal(getLast(0.7)?.size, 2048);
    assert.equal(getLast(0.1)?.size, 4096);
  });
});
