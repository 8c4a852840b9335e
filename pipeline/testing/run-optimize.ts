import type { Document } from '@gltf-transform/core';
import { createGltfIo } from '../src/formats/gltf/gltf-io.ts';
import { type OptimizeOptions, optimize } from '../src/optimize/optimize.ts';
import { addMeshNode, createSheetMesh, createTestDocument } from './full-featured-model.ts';

/** Optimizes a model, and reads the result. */
export async function runOptimize(document: Document, options: OptimizeOptions = {}) {
  const result = await optimize(document, options, () => undefined);
  const after = disableLogging(await (await createGltfIo()).readBinary(result.model));
  return { ...result, after };
}

/** glTF-Transform would print warnings. */
export function disableLogging(document: Document): Document {
  const silent = () => undefined;
  return document.setLogger({ debug: silent, info: silent, warn: silent, error: silent });
}

/** A sheet with a texture, which is a PNG. */
export async function makeTexturedDocument(
  image: Uint8Array<ArrayBuffer>,
  alpha: 'OPAQUE' | 'BLEND' = 'OPAQUE',
) {
  const document = createTestDocument();
  const texture = document.createTexture('').setImage(image).setMimeType('image/png');
  const material = document.createMaterial('').setBaseColorTexture(texture).setAlphaMode(alpha);
  addMeshNode(document, 'Cloth', createSheetMesh(document, material));
  return document;
}
