import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { estimateMaxSize } from '@cloche/contract/geometry-size';
import type { Document, Texture } from '@gltf-transform/core';
// @ts-expect-error: the package has no types
import validator from 'gltf-validator';
import sharp from 'sharp';
import {
  addMeshNode,
  createSheetMesh,
  createTestDocument,
  makeNoisePng,
} from '../../../testing/full-featured-model.ts';
import { addSheet } from '../../../testing/wavy-sheet.ts';
import { validateGlb } from '../../formats/gltf/validate.ts';
import { createBufferReader } from '../../validation/byte-reader.ts';
import { quantize } from '../quantize/quantize.ts';
import { compressTextures } from '../textures/compress-textures.ts';
import { writeGlb } from '../write/write-glb.ts';
import { createLevels } from './create-levels.ts';
import { splitGlb } from './split-glb.ts';
import { getSizeRatio, listImageSizes, listTexturesForPacks } from './texture-levels.ts';
import { measureUvDensity } from './uv-density.ts';

const LARGE = await makeNoisePng(2048);
const SMALL = await makeNoisePng(256);

describe('the levels of a model', () => {
  it('are a geometry without the large images, and a pack for each size', async () => {
    const { model, levels } = await processTextures(createDocument(SMALL, LARGE));
    const { geometries, textures } = levels ?? assert.fail('no levels');
    const [whole, geometry] = [splitGlb(model), splitGlb(geometries[0]?.glb ?? new Uint8Array())];
    const sizes = await Promise.all(
      textures.map(async ({ size, pack }) => ({ size, images: await readImageSizes(pack) })),
    );
    assert.deepEqual(
      sizes,
      [384, 768, 1024, 2048].map((size) => ({ size, images: [size] })),
    );
    assert.deepEqual(await readImageSizes(geometries[0]?.glb ?? new Uint8Array()), [256, 1]);
    assert.deepEqual(
      geometry.json.images?.map(({ extensions }) => extensions),
      [undefined, { CLOCHE_texture_levels: { index: 0 } }],
    );
    assert.deepEqual(readImage(whole, 0), readImage(geometry, 0), 'small images stay');
    const largestPack = splitGlb(textures[3]?.pack ?? new Uint8Array());
    assert.deepEqual(readImage(whole, 1), readImage(largestPack, 0), 'the model has full images');
    assert.equal(geometry.json.meshes?.length, 1);
  });

  it('are valid glTF files with the triangles of the model', async () => {
    const { model, levels } = await processTextures(createDocument(SMALL, LARGE));
    const files = [
      ...(levels?.geometries.map(({ glb }) => glb) ?? []),
      ...(levels?.textures.map(({ pack }) => pack) ?? []),
    ];
    const triangles: number[] = [];
    for (const file of [model, ...files]) {
      const { stats } = await validateGlb(createBufferReader(Buffer.from(file)));
      triangles.push(stats.triangles);
      const { issues } = await validator.validateBytes(file, { ignoredIssues: IGNORED_ISSUES });
      assert.equal(issues.numErrors, 0, JSON.stringify(issues.messages));
    }
    assert.deepEqual(triangles, [128, 128, 0, 0, 0, 0]);
  });

  it('have images scaled from the source, not from the compressed image', async () => {
    const source = await makeNoisePng(1024);
    const { levels } = await processTextures(createDocument(LARGE, source), { quality: 1 });
    const pack = splitGlb(levels?.textures[0]?.pack ?? new Uint8Array());
    const expected = await sharp(source).resize(384).webp({ quality: 1, effort: 6 }).toBuffer();
    const difference = readImage(pack, 1).length / expected.length - 1;
    assert.ok(Math.abs(difference) < 0.02, `${difference}`);
  });

  it('have images of the size that the density of their texture coordinates needs', async () => {
    const document = createDocument(LARGE, await makeNoisePng(1024));
    const other = await sharp(LARGE).negate().png().toBuffer();
    const material = document.createMaterial().setBaseColorTexture(toTexture(document, other));
    const sheet = createSheetMesh(document, material);
    // A quarter of the length, and as many texture coordinates.
    addMeshNode(document, 'Dense', sheet).setScale([0.25, 0.25, 0.25]);
    const { levels } = await processTextures(document);
    const { textures } = levels ?? assert.fail('no levels');
    const packs = await Promise.all(
      textures.map(async ({ size, pixels, pack }) => ({
        ...{ size, pixels },
        images: await readImageSizes(pack),
      })),
    );
    const toPixels = (...sides: number[]) => sides.reduce((sum, side) => sum + side ** 2, 0);
    assert.deepEqual(packs, [
      { size: 384, pixels: toPixels(384, 384, 96), images: [384, 384, 96] },
      { size: 768, pixels: toPixels(768, 768, 192), images: [768, 768, 192] },
      { size: 1024, pixels: toPixels(1024, 1024, 256), images: [1024, 1024, 256] },
      { size: 2048, pixels: toPixels(2048, 1024, 512), images: [2048, 1024, 512] },
      { size: 4096, pixels: toPixels(2048, 1024, 2048), images: [2048, 1024, 2048] },
    ]);
  });

  it('are not made if textures are small, or one of 1024 pixels', async () => {
    const medium = await makeNoisePng(1024);
    for (const images of [
      [SMALL, SMALL],
      [SMALL, medium],
    ] as const) {
      const { levels } = await processTextures(createDocument(...images));
      assert.equal(levels, undefined);
    }
  });
});

describe('the geometries of a model with many triangles', () => {
  it('are two simplified ones and one with all triangles, with the same nodes and images', async () => {
    const document = createDocument(SMALL, SMALL);
    addSheet(document, { side: 320, name: 'Large', normals: true });
    const smaller = new Map([[384, { image: SMALL, mimeType: 'image/png' }]]);
    const images = new Map(
      document
        .getRoot()
        .listTextures()
        .map((texture) => [texture, { width: 2048, height: 2048, smaller }]),
    );
    await quantize(document, { scene: 14, mesh: 11 });
    const levels = await createLevels(await writeGlb(document), document, images, undefined);
    const glbs = levels?.geometries.map(({ glb }) => glb) ?? [];
    const triangles = await Promise.all(glbs.map(countTriangles));
    const [small = 0, first = 0, ...larger] = triangles;
    assert.ok(small < 37_500, `${triangles}`);
    assert.ok(first <= 150_000 && first > 0.7 * 150_000, `${triangles}`);
    assert.deepEqual(larger, [204_928]);
    const [full, ...simplified] = glbs
      .map(splitGlb)
      .toReversed()
      .map(({ json: { nodes, materials, images, meshes } }) => ({
        ...{ nodes, materials },
        images: images?.map(({ extensions }) => extensions),
        meshes: meshes?.map(({ name, primitives }) => [name, primitives.length]),
      }));
    assert.deepEqual(simplified, [full, full]);
    assert.equal(levels?.textures.length, 2);
  });

  it('are the simplified ones alone if there are no texture packs', async () => {
    const document = createDocument(SMALL, SMALL);
    addSheet(document, { side: 320, normals: true });
    const { model, levels } = await processTextures(document);
    assert.equal(levels?.geometries.length, 2);
    assert.deepEqual(levels.textures, []);
    for (const [index, { glb: geometry }] of levels.geometries.entries()) {
      assert.ok(geometry.length < model.length);
      const { issues } = await validator.validateBytes(geometry, { ignoredIssues: IGNORED_ISSUES });
      assert.equal(issues.numErrors, 0, JSON.stringify(issues.messages));
      assert.ok((await countTriangles(geometry)) <= (index === 0 ? 37_500 : 150_000));
    }
  });

  it('are a medium one, a small one and the model if it has at most 187,500 triangles', async () => {
    const document = createDocument(SMALL, SMALL);
    addSheet(document, { side: 300, normals: true });
    const { model, levels } = await processTextures(document);
    const files = [...(levels?.geometries.map(({ glb }) => glb) ?? []), model];
    const [small = 0, medium = 0, ...others] = await Promise.all(files.map(countTriangles));
    assert.ok(small < 0.8 * medium && medium < 0.8 * 180_000, `${small}, ${medium}`);
    assert.deepEqual(others, [180_128]);
  });

  it('have the size up to which they look like the model, except for the model', async () => {
    for (const side of [300, 320]) {
      const document = createDocument(SMALL, LARGE);
      addSheet(document, { side, normals: true });
      const { levels } = await processTextures(document);
      const [small = 0, larger = 0, ...others] =
        levels?.geometries.map(({ maxSize }) => maxSize) ?? [];
      assert.ok(small >= 320 && small < 340, `${small}`);
      // The first of two levels has as many triangles as it may have, which are enough for more.
      assert.ok(side === 320 ? larger > 2000 : larger >= 640 && larger < 680, `${larger}`);
      assert.deepEqual(others, [undefined]);
    }
  });

  it('have it by their number of triangles if they are flat-shaded', async () => {
    const document = createDocument(SMALL, SMALL);
    addSheet(document, { side: 320 });
    const { geometries = [] } = (await processTextures(document)).levels ?? {};
    assert.equal(geometries.length, 2);
    for (const { glb, maxSize } of geometries)
      assert.equal(maxSize, estimateMaxSize(await countTriangles(glb)));
  });
});

async function countTriangles(file: Uint8Array): Promise<number> {
  const { stats } = await validateGlb(createBufferReader(Buffer.from(file)));
  return stats.triangles;
}

/** The validator does not know WebP and our extension. */
const IGNORED_ISSUES = [
  'IMAGE_UNRECOGNIZED_FORMAT',
  'IMAGE_MIME_TYPE_INVALID',
  'VALUE_NOT_IN_LIST',
];

function createDocument(baseColor: Uint8Array, normals: Uint8Array): Document {
  const document = createTestDocument();
  const material = document
    .createMaterial()
    .setBaseColorTexture(toTexture(document, baseColor))
    .setEmissiveTexture(toTexture(document, normals));
  addMeshNode(document, 'Sheet', createSheetMesh(document, material));
  return document;
}

function toTexture(document: Document, image: Uint8Array): Texture {
  return document.createTexture().setImage(new Uint8Array(image)).setMimeType('image/png');
}

async function processTextures(document: Document, { quality = 80 } = {}) {
  const density = measureUvDensity(document, listTexturesForPacks(document));
  const images = await compressTextures(document, {
    maxSize: 2048,
    quality,
    listLevelSizes: (texture) => listImageSizes(getSizeRatio(texture, density)),
  });
  await quantize(document, { scene: 14, mesh: 11 });
  const model = await writeGlb(document);
  return { model, levels: await createLevels(model, document, images, density) };
}

function readImage({ json, bin }: ReturnType<typeof splitGlb>, index: number): Buffer {
  const view = json.bufferViews?.[json.images?.[index]?.bufferView ?? -1];
  const start = view?.byteOffset ?? 0;
  return Buffer.from(bin.subarray(start, start + (view?.byteLength ?? 0)));
}

async function readImageSizes(file: Uint8Array): Promise<number[]> {
  const glb = splitGlb(file);
  const count = glb.json.images?.length ?? 0;
  const images = Array.from({ length: count }, (_, index) => sharp(readImage(glb, index)));
  return Promise.all(images.map(async (image) => (await image.metadata()).width));
}
