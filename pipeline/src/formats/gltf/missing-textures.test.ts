import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Transmission } from '@gltf-transform/extensions';
import { makeGltf } from '../../../testing/formats/gltf.ts';
import { importFile } from '../../../testing/formats/import-file.ts';
import { makeZip } from '../../../testing/formats/zip.ts';
import type { LooseGltf } from '../../../testing/models.ts';
import { runOptimize } from '../../../testing/run-optimize.ts';
import { createBufferReader } from '../../validation/byte-reader.ts';
import { validateModel } from '../validate-model.ts';

const { gltf, bin, image } = makeGltf({
  textured: true,
  externalUris: { bin: 'scene.bin', image: 'textures/color.png' },
});

/** Validates and imports a zip of a textured box whose JSON has these changes. */
async function importZip(
  changes: LooseGltf,
  files: { [name: string]: Buffer } = { 'scene.bin': bin },
) {
  const json = { ...JSON.parse(gltf.toString()), ...changes };
  const zip = makeZip({ 'scene.gltf': Buffer.from(JSON.stringify(json)), ...files });
  const { stats } = await validateModel(createBufferReader(zip));
  return { stats, ...(await importFile(zip, 'gltf', 'scene.gltf')) };
}

const toMissingWarning = (uri: string) => ({
  code: 'texture.missing',
  message: `The texture "${uri}" was not uploaded with the model.`,
});

describe('a glTF in a zip', () => {
  it('is shown without an image that is not in the zip, with a warning', async () => {
    const { stats, document, warnings } = await importZip({});
    assert.equal(stats?.triangles, 12);
    assert.deepEqual(warnings, [toMissingWarning('textures/color.png')]);
    const { after } = await runOptimize(document);
    assert.deepEqual(after.getRoot().listTextures(), []);
    const [material] = after.getRoot().listMaterials();
    assert.deepEqual(material?.getBaseColorFactor(), [1, 0, 0, 1]);
  });

  it('is refused without a buffer', async () => {
    await assert.rejects(importZip({}, { 'textures/color.png': image }), {
      code: 'design.unreadable',
      message: 'The glTF needs the file "scene.bin", which is not in the archive.',
    });
  });

  it('is refused with an image that is empty', async () => {
    const files = { 'scene.bin': bin, 'textures/color.png': Buffer.alloc(0) };
    await assert.rejects(importZip({}, files), { code: 'design.unreadable' });
  });

  it('keeps materials of which a missing texture made only parts metal, bright or transparent', async () => {
    const texture = {
      index: 0,
      extensions: { KHR_texture_transform: { offset: [0.5, 0], scale: [2, 2] } },
    };
    const { document, warnings } = await importZip({
      extensionsUsed: ['KHR_texture_transform', 'KHR_materials_transmission'],
      materials: [
        { pbrMetallicRoughness: { metallicRoughnessTexture: texture, roughnessFactor: 0.5 } },
        { emissiveFactor: [1, 1, 1], emissiveTexture: texture, normalTexture: texture },
        {
          extensions: {
            KHR_materials_transmission: { transmissionFactor: 1, transmissionTexture: texture },
          },
        },
        { pbrMetallicRoughness: { metallicFactor: 1 }, emissiveFactor: [0, 1, 0] },
      ],
    });
    assert.deepEqual(warnings, [toMissingWarning('textures/color.png')]);
    const materials = document.getRoot().listMaterials();
    assert.deepEqual(
      materials.map((each) => [each.getMetallicFactor(), each.getEmissiveFactor()]),
      [
        [0, [0, 0, 0]],
        [1, [0, 0, 0]],
        [1, [0, 0, 0]],
        [1, [0, 1, 0]],
      ],
    );
    assert.equal(materials[0]?.getRoughnessFactor(), 0.5);
    const transmission = materials[2]?.getExtension<Transmission>('KHR_materials_transmission');
    assert.equal(transmission?.getTransmissionFactor(), 0);
  });

  it('shows the PNG of a texture whose WebP is missing, without a warning', async () => {
    const { model, warnings } = await importZip(
      {
        extensionsUsed: ['EXT_texture_webp'],
        textures: [{ source: 0, extensions: { EXT_texture_webp: { source: 1 } } }],
        images: [{ uri: 'textures/color.png' }, { uri: 'textures/color.webp' }],
      },
      { 'scene.bin': bin, 'textures/color.png': image },
    );
    assert.deepEqual(model.textures, ['color.png']);
    assert.deepEqual(warnings, []);
  });

  it('does not use itself as an image', async () => {
    const { warnings } = await importZip({ images: [{ uri: './scene.gltf' }] });
    assert.deepEqual(warnings, [toMissingWarning('./scene.gltf')]);
  });

  it('warns of a hostile name without its control characters', async () => {
    const { warnings } = await importZip({
      images: [{ uri: `a\u001b[31m\n\u202e${'x'.repeat(999)}` }],
    });
    assert.match(warnings[0]?.message ?? '', /^The texture "a\uFFFD\[31m\uFFFD\uFFFDx+…" was not/);
  });
});
