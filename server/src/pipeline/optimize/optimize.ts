import type { Document } from '@gltf-transform/core';
import { openIo } from '../io.ts';
import type { Facts, Tell, Warning } from '../report.ts';

/** Makes a model fit for the web. For the child process only. */
export async function optimize(
  document: Document,
  _options: { maxTextureSize?: number },
  tell: Tell,
): Promise<{
  model: Uint8Array;
  preview?: Uint8Array;
  before: Omit<Facts, 'bytes'>;
  warnings: Warning[];
}> {
  const root = document.getRoot();
  const before = {
    triangles: 0,
    vertices: 0,
    nodes: root.listNodes().length,
    meshes: root.listMeshes().length,
    materials: root.listMaterials().length,
    textures: root.listTextures().length,
    animations: root.listAnimations().length,
    variants: 0,
  };
  tell('clean', 20);
  const io = await openIo();
  tell('write', 90);
  return { model: await io.writeBinary(document), before, warnings: [] };
}
