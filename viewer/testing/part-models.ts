/** A model with parts, for the tests of the methods of the viewer. */
import { createBoxGlb, type GlbBytes, type LooseGltfJson } from './box-models.ts';

/**
 * Creates three green boxes with an edge of 1 m that share a mesh and a material, side by side, in a node `Row`: `Left` at x = -2, `Middle`, which
 * contains a small box `Lid` on top, and `Right` at x = 2. Below them are three bolts, which are instances in the form that
 * the optimizer writes.
 */
export function createPartsGlb(): GlbBytes {
  const translations = new Float32Array([-2, 0, 0, 0, 0, 0, 2, 0, 0]);
  return createBoxGlb({
    extraBufferViews: [new Uint8Array(translations.buffer)],
    change(gltf) {
      (gltf.accessors as LooseGltfJson[]).push({
        bufferView: 4,
        componentType: 5126,
        count: 3,
        type: 'VEC3',
      });
      gltf.extensionsUsed = gltf.extensionsRequired = ['EXT_mesh_gpu_instancing'];
      gltf.nodes = [
        { name: 'Row', children: [1, 2, 3] },
        { name: 'Left', children: [4], translation: [-2, 0, 0] },
        { name: 'Middle', mesh: 0, children: [5] },
        { name: 'Right', mesh: 0, translation: [2, 0, 0] },
        { mesh: 0 },
        { name: 'Lid', mesh: 0, translation: [0, 0.75, 0], scale: [0.5, 0.5, 0.5] },
        {
          name: 'Bolts',
          mesh: 0,
          translation: [0, -1.5, 0],
          extensions: { EXT_mesh_gpu_instancing: { attributes: { TRANSLATION: 4 } } },
          extras: { names: ['Bolt 1', 'Bolt 2', 'Bolt 3'] },
        },
      ];
      gltf.scenes = [{ nodes: [0, 6] }];
    },
  });
}

/** The ids of the parts. */
export const PARTS = { row: 0, left: 1, middle: 2, lid: 3, right: 4, bolt1: 5, bolt2: 6, bolt3: 7 };
