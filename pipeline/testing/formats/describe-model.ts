import type { Document } from '@gltf-transform/core';
import { getBounds } from '@gltf-transform/functions';

/** What a model looks like, in numbers that can be compared: rounded to a ten-thousandth. */
export function describeModel(document: Document) {
  const root = document.getRoot();
  const [scene] = root.listScenes();
  const primitives = root.listMeshes().flatMap((mesh) => mesh.listPrimitives());
  if (!scene) throw new Error('The model has no scene.');
  const { min, max } = getBounds(scene);
  return {
    min: min.map(round),
    max: max.map(round),
    triangles: primitives.reduce((sum, each) => sum + (each.getIndices()?.getCount() ?? 0) / 3, 0),
    materials: root.listMaterials().map((material) => ({
      name: material.getName(),
      colour: material.getBaseColorFactor().map(round),
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

/** The normals that are not of length 1, or do not point out of a box around its own centre. */
export function findBadNormals(document: Document): number[][] {
  return document
    .getRoot()
    .listMeshes()
    .flatMap((mesh) => {
      const centre = computeCentre(mesh.listPrimitives().flatMap(readPositions));
      return mesh.listPrimitives().flatMap((primitive) => {
        const normal = primitive.getAttribute('NORMAL');
        return readPositions(primitive).flatMap((position, at) => {
          const [x = 0, y = 0, z = 0] = normal?.getElement(at, []) ?? [];
          const out = position.reduce(
            (sum, value, axis) => sum + (value - (centre[axis] ?? 0)) * ([x, y, z][axis] ?? 0),
            0,
          );
          return Math.abs(Math.hypot(x, y, z) - 1) < 1e-4 && out > 0 ? [] : [[x, y, z]];
        });
      });
    });
}

type Primitive = ReturnType<ReturnType<Document['createMesh']>['listPrimitives']>[number];

function readPositions(primitive: Primitive): number[][] {
  const positions = primitive.getAttribute('POSITION');
  return Array.from(
    { length: positions?.getCount() ?? 0 },
    (_, at) => positions?.getElement(at, []) ?? [],
  );
}

function computeCentre(positions: readonly number[][]): number[] {
  return [0, 1, 2].map((axis) => {
    const values = positions.map((position) => position[axis] ?? 0);
    return (Math.min(...values) + Math.max(...values)) / 2;
  });
}

function round(value: number): number {
  // Adding zero makes -0 a plain 0.
  return Math.round(value * 10_000) / 10_000 + 0;
}
