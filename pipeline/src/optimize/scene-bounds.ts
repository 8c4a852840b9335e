import {
  type Document,
  MathUtils,
  type mat4,
  type Node,
  type vec3,
  type vec4,
} from '@gltf-transform/core';
import type { InstancedMesh } from '@gltf-transform/extensions';
import { findDefaultScene } from './model-counts.ts';

export type BoundingBox = { min: vec3; max: vec3 };

/**
 * The box around all that is shown, at rest, in metres; undefined if that is nothing.
 *
 * Unlike glTF-Transform's, it counts every instance, and finds a skinned mesh where its first joint
 * puts it, which is exact in the pose it was bound in.
 */
export function computeSceneBounds(document: Document): BoundingBox | undefined {
  const all: BoundingBox = {
    min: [Infinity, Infinity, Infinity],
    max: [-Infinity, -Infinity, -Infinity],
  };
  findDefaultScene(document)?.traverse((node) => {
    const corners = listCorners(node);
    if (corners.length === 0) return;
    for (const matrix of listWorldMatrices(node)) {
      for (const corner of corners) expandByPoint(all, transformPoint(matrix, corner));
    }
  });
  return all.max[0] >= all.min[0] ? all : undefined;
}

/** The longest side of the box around all that is shown. */
export function computeSceneExtent(document: Document): number {
  const bounds = computeSceneBounds(document);
  const sides = bounds?.max.map((end, axis) => end - (bounds.min[axis] ?? 0)) ?? [];
  return Math.max(0, ...sides.filter(Number.isFinite));
}

function listCorners(node: Node): vec3[] {
  return (node.getMesh()?.listPrimitives() ?? []).flatMap((primitive) => {
    const position = primitive.getAttribute('POSITION');
    if (position === null || position.getCount() === 0) return [];
    const ends = [position.getMinNormalized([]), position.getMaxNormalized([])];
    return Array.from({ length: 8 }, (_, corner) => {
      return [0, 1, 2].map((axis) => ends[(corner >> axis) & 1]?.[axis] ?? 0) as vec3;
    });
  });
}

function listWorldMatrices(node: Node): mat4[] {
  const skin = node.getSkin();
  const joint = skin?.listJoints()[0];
  if (skin && joint) {
    const inverse = skin.getInverseBindMatrices()?.getElement(0, []) as mat4 | undefined;
    return [inverse ? multiplyMatrices(joint.getWorldMatrix(), inverse) : joint.getWorldMatrix()];
  }
  const batch = node.getExtension<InstancedMesh>('EXT_mesh_gpu_instancing');
  const world = node.getWorldMatrix();
  if (batch === null) return [world];
  const count = batch.listAttributes()[0]?.getCount() ?? 0;
  return Array.from({ length: count }, (_, at) =>
    multiplyMatrices(world, getInstanceMatrix(batch, at)),
  );
}

function getInstanceMatrix(batch: InstancedMesh, at: number): mat4 {
  const element = (semantic: string, absent: number[]) =>
    batch.getAttribute(semantic)?.getElement(at, []) ?? absent;
  return MathUtils.compose(
    element('TRANSLATION', [0, 0, 0]) as vec3,
    element('ROTATION', [0, 0, 0, 1]) as vec4,
    element('SCALE', [1, 1, 1]) as vec3,
    new Array(16).fill(0) as unknown as mat4,
  );
}

function expandByPoint({ min, max }: BoundingBox, point: vec3): void {
  for (const axis of [0, 1, 2] as const) {
    min[axis] = Math.min(min[axis], point[axis]);
    max[axis] = Math.max(max[axis], point[axis]);
  }
}

function transformPoint(matrix: mat4, [x, y, z]: vec3): vec3 {
  const row = (at: number) =>
    (matrix[at] ?? 0) * x +
    (matrix[4 + at] ?? 0) * y +
    (matrix[8 + at] ?? 0) * z +
    (matrix[12 + at] ?? 0);
  return [row(0), row(1), row(2)];
}

/** Two transforms in one: first `other`, then `one`. */
export function multiplyMatrices(one: mat4, other: mat4): mat4 {
  return Array.from({ length: 16 }, (_, at) => {
    const [row, column] = [at % 4, at - (at % 4)];
    let sum = 0;
    for (let k = 0; k < 4; k++) sum += (one[k * 4 + row] ?? 0) * (other[column + k] ?? 0);
    return sum;
  }) as mat4;
}
