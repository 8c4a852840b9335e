import type { Document } from '@gltf-transform/core';
import { getBounds } from '@gltf-transform/functions';

/** Describes a model by numbers, rounded to four decimals, that tests can compare. */
export function describeModel(document: Document) {
  const root = document.getRoot();
  const [scene] = root.listScenes();
  const primitives = root.listMeshes().flatMap((mesh) => mesh.listPrimitives());
  if (!scene) throw new Error('The model has no scene.');
  const { min, max } = getBounds(scene);
  return {
    min: min.map(round),
    max: max.map(round),
    triangles: primitives.reduce(
      (sum, primitive) => sum + (primitive.getIndices()?.getCount() ?? 0) / 3,
      0,
    ),
    materials: root.listMaterials().map((material) => ({
      name: material.getName(),
      color: material.getBaseColorFactor().map(round),
      alphaMode: material.getAlphaMode(),
      roughness: round(material.getRoughnessFactor()),
      metallic: material.getMetallicFactor(),
    })),
    nodes: root.listNodes().map((node) => node.getName()),
    meshes: root.listMeshes().length,
    textures: root.listTextures().map((texture) => texture.getName()),
    animations: root.listAnimations().map((animation) => animation.getName()),
  };
}

/** Lists the normals that are not of unit length, or point towards the center of the mesh's box. */
export function findBadNormals(document: Document): number[][] {
  return document
    .getRoot()
    .listMeshes()
    .flatMap((mesh) => {
      const center = computeCenter(mesh.listPrimitives().flatMap(readPositions));
      return mesh.listPrimitives().flatMap((primitive) => {
        const normal = primitive.getAttribute('NORMAL');
        return readPositions(primitive).flatMap((position, vertex) => {
          const [x = 0, y = 0, z = 0] = normal?.getElement(vertex, []) ?? [];
          const outward = position.reduce(
            (sum, value, axis) => sum + (value - (center[axis] ?? 0)) * ([x, y, z][axis] ?? 0),
            0,
          );
          return Math.abs(Math.hypot(x, y, z) - 1) < 1e-4 && outward > 0 ? [] : [[x, y, z]];
        });
      });
    });
}

type Primitive = ReturnType<ReturnType<Document['createMesh']>['listPrimitives']>[number];

function readPositions(primitive: Primitive): number[][] {
  const positions = primitive.getAttribute('POSITION');
  return Array.from(
    { length: positions?.getCount() ?? 0 },
    (_, vertex) => positions?.getElement(vertex, []) ?? [],
  );
}

function computeCenter(positions: readonly number[][]): number[] {
  return [0, 1, 2].map((axis) => {
    const values = positions.map((position) => position[axis] ?? 0);
    return (Math.min(...values) + Math.max(...values)) / 2;
  });
}

function round(value: number): number {
  // Adding zero turns -0 into 0.
  return Math.round(value * 10_000) / 10_000 + 0;
}
