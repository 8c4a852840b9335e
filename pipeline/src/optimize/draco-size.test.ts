/// <reference path="../formats/gltf/draco3dgltf.d.ts" />
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { Document } from '@gltf-transform/core';
import { KHRDracoMeshCompression } from '@gltf-transform/extensions';
import { normals } from '@gltf-transform/functions';
import draco3d from 'draco3dgltf';
import { disableLogging, runOptimize } from '../../testing/run-optimize.ts';
import { createMeshDocument, createRodMesh } from '../../testing/shadow-models.ts';
import { addSheet } from '../../testing/wavy-sheet.ts';
import { createGltfIo } from '../formats/gltf/gltf-io.ts';

/**
 * The size of the output in transfer, relative to the source file. Not reached by a regular grid of 20,000 triangles,
 * which Draco predicts almost completely: 1.57.
 */
const MAX_RATIO = 1.25;
const compress = promisify(brotliCompress);

/** Compresses the geometry of a document with Draco and its default settings. */
async function encodeWithDraco(document: Document): Promise<Uint8Array<ArrayBuffer>> {
  disableLogging(document).createExtension(KHRDracoMeshCompression).setRequired(true);
  const io = await createGltfIo();
  io.registerDependencies({ 'draco3d.encoder': await draco3d.createEncoderModule() });
  return io.writeBinary(document);
}

function createSheet(side: number): Document {
  const document = new Document();
  addSheet(document, { side });
  return document;
}

async function createFlatSheet(side: number): Promise<Document> {
  const document = disableLogging(createSheet(side));
  await document.transform(normals());
  return document;
}

describe('the output for a file that is compressed with Draco', () => {
  for (const [name, create] of [
    ['a sheet of 125,000 triangles', () => createSheet(250)],
    ['a sheet with flat normals', () => createFlatSheet(150)],
    [
      'rods',
      () => createMeshDocument([createRodMesh(0.1, 1, 4000), createRodMesh(0.5, 0.1, 9000)]),
    ],
  ] as const) {
    it(`is at most ${MAX_RATIO} times as large in transfer: ${name}`, async (t) => {
      const source = await encodeWithDraco(await create());
      const document = await (await createGltfIo()).readBinary(source);
      const { model } = await runOptimize(document);
      const { length } = await compress(model);
      t.diagnostic(
        `${source.length} bytes, ${length} after: ${(length / source.length).toFixed(2)}`,
      );
      assert.ok(length <= MAX_RATIO * source.length, `${length} bytes of ${source.length}`);
    });
  }
});
