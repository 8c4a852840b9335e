import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Document } from '@gltf-transform/core';
import type { Transform } from '@gltf-transform/extensions';
import { cloneDocument } from '@gltf-transform/functions';
import sharp from 'sharp';
import { makeNoisePng } from '../../testing/full-featured-model.ts';
import { makeTexturedDocument, runOptimize } from '../../testing/run-optimize.ts';

describe('a texture', () => {
  it('is scaled down to maxTextureSize, and never up', async () => {
    const { after } = await runOptimize(await makeTexturedDocument(await makeNoisePng(256)), {
      maxTextureSize: 128,
    });
    assert.deepEqual(after.getRoot().listTextures()[0]?.getSize(), [128, 128]);
    const small = await runOptimize(await makeTexturedDocument(await makeNoisePng(64)), {
      maxTextureSize: 128,
    });
    assert.deepEqual(small.after.getRoot().listTextures()[0]?.getSize(), [64, 64]);
  });

  it('that is scaled down is a warning, with its size and the limit', async () => {
    const document = await makeTexturedDocument(await makeNoisePng(256));
    const [material] = document.getRoot().listMaterials();
    const emissive = document.createTexture().setMimeType('image/png');
    material
      ?.setEmissiveTexture(emissive.setImage(await makeNoisePng(130)))
      .setEmissiveFactor([1, 1, 1]);
    const getMessages = async (maxTextureSize: number) =>
      (await runOptimize(cloneDocument(document), { maxTextureSize })).warnings.map(
        ({ code, message }) => `${code}: ${message}`,
      );
    const reason = (limit: number) =>
      `The limit is ${limit} pixels for the longest side: maxTextureSize of the design or, if it has none, CLOCHE_MAX_TEXTURE.`;
    assert.deepEqual(await getMessages(256), []);
    assert.deepEqual(await getMessages(200), [
      `textures.reduced: A texture of 256 × 256 pixels was made smaller. ${reason(200)}`,
    ]);
    assert.deepEqual(await getMessages(128), [
      `textures.reduced: 2 textures of up to 256 × 256 pixels were made smaller. ${reason(128)}`,
    ]);
  });

  it('of one color is no warning', async () => {
    const create = { width: 64, height: 64, channels: 3, background: '#336699' } as const;
    const flat = new Uint8Array(await sharp({ create }).png().toBuffer());
    const { warnings } = await runOptimize(await makeTexturedDocument(flat), {
      maxTextureSize: 32,
    });
    assert.deepEqual(warnings, []);
  });

  it('with an incomplete image is reported as damaged', async () => {
    const incomplete = (await makeNoisePng(64)).subarray(0, 2000);
    const problem = { code: 'design.unreadable', message: /^The image of a texture/ };
    await assert.rejects(runOptimize(await makeTexturedDocument(incomplete)), problem);
  });

  it('of one color becomes one pixel of that color', async () => {
    const flat = await sharp({
      create: { width: 64, height: 64, channels: 3, background: '#336699' },
    })
      .png()
      .toBuffer();
    const { after } = await runOptimize(await makeTexturedDocument(new Uint8Array(flat)));
    const texture = after.getRoot().listTextures()[0];
    const { data } = await sharp(texture?.getImage() ?? undefined)
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    assert.deepEqual([...data], [0x33, 0x66, 0x99]);
  });

  it('keeps its alpha channel only if the material uses it', async () => {
    const image = await makeNoisePng(64, { alpha: true });
    const blended = await runOptimize(await makeTexturedDocument(image, 'BLEND'));
    const opaque = await runOptimize(await makeTexturedDocument(image, 'OPAQUE'));
    const alphas = [blended, opaque].map(async ({ after }) => {
      return (await sharp(after.getRoot().listTextures()[0]?.getImage() ?? undefined).metadata())
        .hasAlpha;
    });
    assert.deepEqual(await Promise.all(alphas), [true, false]);
  });

  it('is sampled at the same coordinates, rotated and scaled', async () => {
    const before = await makeTexturedDocument(await makeNoisePng(64));
    const { KHRTextureTransform } = await import('@gltf-transform/extensions');
    const transform = before.createExtension(KHRTextureTransform).createTransform();
    transform.setOffset([0.1, 0.2]).setRotation(0.5).setScale([3, 3]);
    before
      .getRoot()
      .listMaterials()[0]
      ?.getBaseColorTextureInfo()
      ?.setExtension('KHR_texture_transform', transform);
    const expected = listSampledCoordinates(before);
    const { after } = await runOptimize(before);
    const sampled = listSampledCoordinates(after);
    assert.ok(sampled.length > 0);
    for (const [x, y] of sampled) {
      const nearest = Math.min(...expected.map(([a, b]) => Math.hypot(a - x, b - y)));
      assert.ok(nearest < 0.002, `${x}, ${y} is ${nearest} from the nearest coordinates before`);
    }
  });
});

/** Lists the coordinates at which each vertex samples the texture, transformed like in three.js. */
function listSampledCoordinates(document: Document): [number, number][] {
  const info = document.getRoot().listMaterials()[0]?.getBaseColorTextureInfo();
  const transform = info?.getExtension<Transform>('KHR_texture_transform');
  const coordinates = document
    .getRoot()
    .listMeshes()[0]
    ?.listPrimitives()[0]
    ?.getAttribute('TEXCOORD_0');
  const [x, y] = transform?.getOffset() ?? [0, 0];
  const [width, height] = transform?.getScale() ?? [1, 1];
  const [sin, cos] = [
    Math.sin(transform?.getRotation() ?? 0),
    Math.cos(transform?.getRotation() ?? 0),
  ];
  return Array.from({ length: coordinates?.getCount() ?? 0 }, (_, index) => {
    const [u = 0, v = 0] = coordinates?.getElement(index, []) ?? [];
    return [x + width * (cos * u + sin * v), y + height * (cos * v - sin * u)];
  });
}
