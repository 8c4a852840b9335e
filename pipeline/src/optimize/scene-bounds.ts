import type { BoundingBox } from '@cloche/contract/viewer-config';
import {
  type Document,
  MathUtils,
  type mat4,
  type Node,
  type vec3,
  type vec4,
} from '@gltf-transform/core';
import type { InstancedMesh } from '@gltf-transform/extensions';
import { multiplyMatrices } from '../mesh/matrix.ts';
import { findDefaultScene } from './model-counts.ts';

/**
 * Computes the bounding box of the default scene without animation, in meters; undefined if the
 * scene is empty.
 *
 * Unlike glTF-Transform's function, it includes every instance, and transforms a skinned mesh with
 * its first joint, which is exact in the bind pose.
 */
export function computeSceneBounds(document: Document): BoundingBox | undefined {
  const bounds: BoundingBox = {
    min: [Infinity, Infinity, Infinity],
    max: [-Infinity, -Infinity, -Infinity],
  };
  findDefaultScene(document)?.traverse((node) => {
    const corners = listCorners(node);
    if (corners.length === 0) return;
    for (const matrix of listWorldMatrices(node)) {
      for (const corner of corners) expandByPoint(bounds, transformPoint(matrix, corner));
    }
  });
  return bounds.max[0] >= bounds.min[0] ? bounds : undefined;
}

/** Computes the longest side of the bounding box of the default scene. */
export function computeSceneExtent(document: Document): number {
  const bounds = computeSceneBounds(document);
  const sides = bounds?.max.map((max, axis) => max - (bounds.min[axis] ?? 0)) ?? [];
  return Math.max(0, ...sides.filter(Number.isFinite));
}

function listCorners(node: Node): vec3[] {
  return (node.getMesh()?.listPrimitives() ?? []).flatMap((primitive) => {
    const position = primitive.getAttribute('POSITION');
    if (position === null || position.getCount() === 0) return [];
    const minMax = [position.getMinNormalized([]), position.getMaxNormalized([])];
    return Array.from({ length: 8 }, (_, corner) => {
      return [0, 1, 2].map((axis) => minMax[(corner >> axis) & 1]?.[axis] ?? 0) as vec3;
    });
  });
}

function listWorldMatrices(node: Node): mat4[] {
  const skin = node.getSkin();
  const joint = skin?.listJoints()[0];
  if (skin && joint) {
    const inverse = skin.getInverseBindMatrices()?.getElement(0, []) as mat4 | undefined;
    const jointMatrix = joint.getWorldMatrix();
    return [inverse ? multiplyMatrices(jointMatrix, inverse) : jointMatrix];
  }
  const instancedMesh = node.getExtension<InstancedMesh>('EXT_mesh_gpu_instancing');
  const world = node.getWorldMatrix();
  if (instancedMesh === null) return [world];
  const count = instancedMesh.listAttributes()[0]?.getCount() ?? 0;
  return Array.from({ length: count }, (_, index) =>
    multiplyMatrices(world, getInstanceMatrix(instancedMesh, index)),
  );
}

function getInstanceMatrix(instancedMesh: InstancedMesh, index: number): mat4 {
  const getElement = (semantic: string, defaultValue: number[]) =>
    instancedMesh.getAttribute(semantic)?.getElement(index, []) ?? defaultValue;
  return MathUtils.compose(
    getElement('TRANSLATION', [0, 0, 0]) as vec3,
    getElement('ROTATION', [0, 0, 0, 1]) as vec4,
    getElement('SCALE', [1, 1, 1]) as vec3,
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
  const transformRow = (row: number) =>
    (matrix[row] ?? 0) * x +
    (matrix[4 + row] ?? 0) * y +
    (matrix[8 + row] ?? 0) * z +
    (matrix[12 + row] ?? 0);
  return [transformRow(0), transformRow(1), transformRow(2)];
}
