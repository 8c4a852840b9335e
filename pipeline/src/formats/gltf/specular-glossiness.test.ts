import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Texture } from '@gltf-transform/core';
import type { Specular, Transform } from '@gltf-transform/extensions';
import sharp from 'sharp';
import { importFile } from '../../../testing/formats/import-file.ts';
import { makeKtx2Header } from '../../../testing/ktx2.ts';
import { type LooseGltf, makeGlb, makeUnpackedBox } from '../../../testing/models.ts';
import { makePng } from '../../../testing/png.ts';
import { runOptimize } from '../../../testing/run-optimize.ts';
import { createBufferReader } from '../../validation/byte-reader.ts';
import { VALIDATION_LIMITS } from '../../validation/limits.ts';
import { validateModel } from '../validate-model.ts';
import { validateGlb } from './validate.ts';

const SPECULAR_GLOSSINESS = 'KHR_materials_pbrSpecularGlossiness';
const toDataUri = (image: Buffer) => {
  const type = image[0] === 0xab ? 'image/ktx2' : 'image/png';
  return `data:${type};base64,${image.toString('base64')}`;
};

/** A glossiness of 51, 102, 153 and 204 of 255; the specular color is 10, 20, 30. */
const GLOSSINESS = [51, 102, 153, 204];
const SPECULAR_GLOSSINESS_IMAGE = sharp(
  Buffer.from(GLOSSINESS.flatMap((alpha) => [10, 20, 30, alpha])),
  { raw: { width: 2, height: 2, channels: 4 } },
);

type Extension = { [name: string]: unknown };

/** A GLB as Sketchfab wrote it: it requires the extension, and its materials have no other factors. */
function makeSpecularGlossinessGlb(
  extensions: readonly Extension[],
  { material = {}, images = [] as Buffer[] }: { material?: LooseGltf; images?: Buffer[] } = {},
): Buffer {
  const { json, bin } = makeUnpackedBox();
  const meshes = extensions.map((_, index) => ({
    primitives: [
      { attributes: { POSITION: 0, NORMAL: 1, TEXCOORD_0: 2 }, indices: 3, material: index },
    ],
  }));
  return makeGlb({
    json: {
      ...json,
      extensionsUsed: [SPECULAR_GLOSSINESS, 'KHR_texture_transform'],
      extensionsRequired: [SPECULAR_GLOSSINESS],
      meshes,
      nodes: meshes.map((_, mesh) => ({ mesh, translation: [2 * mesh, 0, 0] })),
      scenes: [{ nodes: meshes.map((_, node) => node) }],
      images: images.map((png) => ({ uri: toDataUri(png) })),
      textures: images.map((_, source) => ({ source })),
      materials: extensions.map((extension) => ({
        ...material,
        extensions: { [SPECULAR_GLOSSINESS]: extension },
      })),
    },
    bin,
  });
}

async function importValidated(glb: Buffer) {
  await validateModel(createBufferReader(glb));
  return importFile(glb, 'glb');
}

const readPixels = async (texture: Texture | null | undefined, channel: 0 | 2) => [
  ...(await sharp(texture?.getImage() ?? new Uint8Array(0))
    .toColourspace('srgb')
    .removeAlpha()
    .extractChannel(channel)
    .raw()
    .toBuffer()),
];

describe('specular-glossiness', () => {
  it('may be required, and its factors are converted', async () => {
    const extension = {
      diffuseFactor: [0, 0.5, 0, 0.25],
      specularFactor: [0.2, 0.2, 0.2],
      glossinessFactor: 0.75,
    };
    const material = { alphaMode: 'BLEND', doubleSided: true, name: 'Glass' };
    const glb = makeSpecularGlossinessGlb([extension], { material });
    const { document, codes } = await importValidated(glb);
    assert.deepEqual(codes, ['material.converted']);
    const { after } = await runOptimize(document);
    const [glass] = after.getRoot().listMaterials();
    assert.deepEqual(glass?.getBaseColorFactor(), [0, 0.5, 0, 0.25]);
    assert.deepEqual([glass?.getMetallicFactor(), glass?.getRoughnessFactor()], [0, 0.25]);
    assert.deepEqual([glass?.getAlphaMode(), glass?.getDoubleSided()], ['BLEND', true]);
    const specular = glass?.getExtension<Specular>('KHR_materials_specular');
    assert.deepEqual(specular?.getSpecularColorFactor(), [0.2, 0.2, 0.2]);
    const extensions = after.getRoot().listExtensionsUsed();
    assert.ok(!extensions.some(({ extensionName }) => extensionName === SPECULAR_GLOSSINESS));
  });

  it('textures are converted, with their transforms and without those of the fallback', async () => {
    const image = await SPECULAR_GLOSSINESS_IMAGE.png().toBuffer();
    const transform = { KHR_texture_transform: { offset: [0.5, 0.25] } };
    const glb = makeSpecularGlossinessGlb(
      [{ specularGlossinessTexture: { index: 0, extensions: transform }, glossinessFactor: 0.5 }],
      {
        images: [image, makePng(2, 2, [9, 9, 9])],
        material: {
          pbrMetallicRoughness: {
            baseColorTexture: { index: 1 },
            metallicRoughnessTexture: { index: 1 },
          },
        },
      },
    );
    const { document } = await importValidated(glb);
    const [material] = document.getRoot().listMaterials();
    const roughness = material?.getMetallicRoughnessTexture();
    const expected = GLOSSINESS.map((glossiness) => 255 - Math.round(glossiness / 2));
    assert.deepEqual(await readPixels(roughness, 0), expected);
    const specular = material?.getExtension<Specular>('KHR_materials_specular');
    assert.deepEqual(await readPixels(specular?.getSpecularColorTexture(), 2), [30, 30, 30, 30]);
    for (const info of [
      material?.getMetallicRoughnessTextureInfo(),
      specular?.getSpecularColorTextureInfo(),
    ]) {
      const copied = info?.getExtension<Transform>('KHR_texture_transform');
      assert.deepEqual(copied?.getOffset(), [0.5, 0.25]);
    }
    assert.deepEqual([material?.getRoughnessFactor(), material?.getMetallicFactor()], [1, 0]);
    assert.ok(material?.getBaseColorTexture() === null);
    const { after } = await runOptimize(document);
    assert.equal(after.getRoot().listTextures().length, 2);
  });

  it('a texture of 16 bits is converted', async () => {
    const image = await SPECULAR_GLOSSINESS_IMAGE.clone().toColourspace('rgb16').png().toBuffer();
    assert.equal((await sharp(image).metadata()).depth, 'ushort');
    const glb = makeSpecularGlossinessGlb([{ specularGlossinessTexture: { index: 0 } }], {
      images: [image],
    });
    const { document } = await importValidated(glb);
    const [material] = document.getRoot().listMaterials();
    const expected = GLOSSINESS.map((glossiness) => 255 - glossiness);
    assert.deepEqual(await readPixels(material?.getMetallicRoughnessTexture(), 0), expected);
  });

  it('a texture of many materials is converted once', async () => {
    const image = await SPECULAR_GLOSSINESS_IMAGE.png().toBuffer();
    const extension = { specularGlossinessTexture: { index: 0 } };
    const extensions = [extension, extension, { ...extension, glossinessFactor: 0.5 }];
    const { document } = await importValidated(
      makeSpecularGlossinessGlb(extensions, { images: [image] }),
    );
    // A specular color, and a roughness for each glossiness factor.
    assert.equal(document.getRoot().listTextures().length, 3);
  });

  it('a texture without alpha has no effect on the roughness', async () => {
    const glb = makeSpecularGlossinessGlb(
      [{ specularGlossinessTexture: { index: 0 }, glossinessFactor: 0.25 }],
      { images: [makePng(2, 2, [9, 9, 9])] },
    );
    const { document } = await importValidated(glb);
    const [material] = document.getRoot().listMaterials();
    assert.ok(material?.getMetallicRoughnessTexture() === null);
    assert.equal(material?.getRoughnessFactor(), 0.75);
  });

  it('a damaged texture is refused', async () => {
    const image = (await SPECULAR_GLOSSINESS_IMAGE.png().toBuffer()).subarray(0, 40);
    const glb = makeSpecularGlossinessGlb([{ specularGlossinessTexture: { index: 0 } }], {
      images: [image],
    });
    await assert.rejects(importValidated(glb), {
      code: 'design.unreadable',
      message: 'The image of a texture without a name is damaged. Export the file again.',
    });
  });

  it('a texture that cannot be decoded, as KTX2, does not leave a mirror', async () => {
    const glb = makeSpecularGlossinessGlb([{ specularGlossinessTexture: { index: 0 } }], {
      images: [makeKtx2Header(1, 64n)],
    });
    const { document, codes } = await importValidated(glb);
    assert.deepEqual(codes, ['material.converted', 'texture.unsupported']);
    const [material] = document.getRoot().listMaterials();
    assert.equal(material?.getRoughnessFactor(), 1);
    const specular = material?.getExtension<Specular>('KHR_materials_specular');
    assert.deepEqual(specular?.getSpecularColorFactor(), [0.04, 0.04, 0.04]);
  });

  it('the pixels of a texture count for each glossiness factor', async () => {
    const extensions = Array.from({ length: 10 }, (_, index) => ({
      specularGlossinessTexture: { index: 0 },
      glossinessFactor: index / 10,
    }));
    const images = [makePng(4, 4, [9, 9, 9])];
    const validate = (glb: Buffer) =>
      validateGlb(createBufferReader(glb), { ...VALIDATION_LIMITS, pixels: 9 * 16 });
    await validate(makeSpecularGlossinessGlb(extensions.slice(1), { images }));
    await assert.rejects(validate(makeSpecularGlossinessGlb(extensions, { images })), {
      code: 'design.too-complex',
      reason: 'pixels',
    });
  });
});
