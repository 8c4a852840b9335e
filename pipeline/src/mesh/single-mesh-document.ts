import { Document } from '@gltf-transform/core';
import { addPrimitive } from './add-primitive.ts';
import { createDefaultMaterial, DEFAULT_COLOR } from './default-material.ts';
import type { MeshGeometry } from './mesh-geometry.ts';

/** Creates a document with one mesh in the default material, in its vertex colors if it has them. */
export function createSingleMeshDocument(geometry: MeshGeometry): Document {
  const document = new Document();
  const material = createDefaultMaterial(document, geometry.colors ? [1, 1, 1] : DEFAULT_COLOR);
  if (geometry.colors?.some((value, index) => index % 4 === 3 && value < 65535)) {
    material.setAlphaMode('BLEND');
  }
  const mesh = document.createMesh();
  addPrimitive(document, mesh, { geometry, material });
  document.createScene().addChild(document.createNode().setMesh(mesh));
  return document;
}
