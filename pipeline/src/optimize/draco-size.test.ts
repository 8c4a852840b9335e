import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { Document } from '@gltf-transform/core';
import sharp from 'sharp';
import {
  computeHeight,
  computeNoise,
  createFlatDocument,
  createGeometryDocument,
  createGrid,
  createRings,
  encodeWithDraco,
  makeIrregular,
} from '../../testing/draco-models.ts';
import { runOptimize } from '../../testing/run-optimize.ts';
import { createMeshDocument, createRodMesh } from '../../testing/shadow-models.ts';
import { createGltfIo } from '../formats/gltf/gltf-io.ts';

/** The size of the output in transfer, relative to the source file. */
const MAX_RATIO = 1.25;
const compress = promisify(brotliCompress);

/** Compresses with the quality that the service uses for artifacts of this size. */
async function measureTransferBytes(model: Uint8Array): Promise<number> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: model.length <= 256 * 1024 ? 10 : 5 };
  return (await compress(model, { params })).length;
}

const wave = (u: number, v: number) => Math.sin(9 * u + 4 * v) * Math.cos(7 * v - u);
const createSheet = (side: number, waves = 1) =>
  createGrid([side, side], (u, v) => [u, 0.1 * wave(waves * u, waves * v), v]);
const createTerrain = (side: number, noise = 0) =>
  createGrid([side, side], (u, v) => [
    u,
    0.1 * computeHeight(u, v) + noise * computeNoise(u, v),
    v,
  ]);

/** A globe with mountains and the noise of a scanner. */
function createGlobe(columns: number, { mountains = 0, noise = 0 } = {}) {
  return createGrid([columns, columns / 2], (u, v) => {
    const [longitude, latitude] = [2 * Math.PI * u, Math.PI * v];
    const relief = mountains * computeHeight(Math.cos(longitude), 2 * v);
    const radius = 1 + (relief + noise * computeNoise(u, v)) * Math.sin(latitude);
    const [y, ring] = [radius * Math.cos(latitude), radius * Math.sin(latitude)];
    return [ring * Math.cos(longitude), y, ring * Math.sin(longitude)];
  });
}

const createScan = () =>
  makeIrregular(createGlobe(800, { mountains: 0.2, noise: 0.0006 }), 150_000);
const texture = new Uint8Array(
  await sharp({ create: { width: 1024, height: 1024, channels: 3, background: '#807060' } })
    .png()
    .toBuffer(),
);

const GEOMETRIES = {
  'a regular grid of 20,000 triangles': () => createSheet(100),
  'a grid with many waves': () => createSheet(100, 2),
  'a grid of 125,000 triangles': () => createSheet(250),
  'a sphere': () => createGlobe(128),
  'a terrain': () => createTerrain(100),
  'a noisy terrain': () => createTerrain(100, 0.004),
} as const;

const MODELS: Record<string, () => Promise<Document> | Document> = {
  'an irregular terrain': async () =>
    createGeometryDocument(await makeIrregular(createTerrain(300), 20_000)),
  'a scan of 150,000 triangles': async () => createGeometryDocument(await createScan()),
  'a scan with normals': async () =>
    createGeometryDocument(await createScan(), { hasNormals: true }),
  'hard edges': async () => createGeometryDocument(createRings(6, 48)),
  'hard edges with normals': async () =>
    createGeometryDocument(createRings(6, 48), { hasNormals: true }),
  'a sheet with flat normals': async () => createFlatDocument(createSheet(100)),
  rods: () => createMeshDocument([createRodMesh(0.1, 1, 4000), createRodMesh(0.5, 0.1, 9000)]),
};
for (const [name, create] of Object.entries(GEOMETRIES)) {
  MODELS[name] = () => createGeometryDocument(create());
  MODELS[`${name}, with normals`] = () => createGeometryDocument(create(), { hasNormals: true });
  MODELS[`${name}, with normals and a texture`] = () =>
    createGeometryDocument(create(), { hasNormals: true, texture });
}

describe('the output for a file that is compressed with Draco', () => {
  for (const [name, create] of Object.entries(MODELS)) {
    it(`is at most ${MAX_RATIO} times as large in transfer: ${name}`, async (t) => {
      const source = await encodeWithDraco(await create());
      const document = await (await createGltfIo()).readBinary(source);
      const { model } = await runOptimize(document);
      const length = await measureTransferBytes(model);
      t.diagnostic(
        `${source.length} bytes, ${length} after: ${(length / source.length).toFixed(2)}`,
      );
      assert.ok(length <= MAX_RATIO * source.length, `${length} bytes of ${source.length}`);
    });
  }
});
