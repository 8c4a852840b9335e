import type { BoundingBox } from '@cloche/contract/viewer-config';
import type { Document, mat4, vec3 } from '@gltf-transform/core';
import { IDENTITY_MATRIX } from '../mesh/matrix.ts';
import { findDefaultScene } from './model-counts.ts';
import {
  listSkinMatrices,
  listWorldMatrices,
  readPositions,
  readSkinnedPositions,
  transformPoint,
} from './world-positions.ts';

/** Above this number of vertices, those of an instanced mesh are replaced by the corners of its box. */
const MAX_INSTANCE_VERTICES = 20_000_000;

const IDENTITY = IDENTITY_MATRIX as mat4;

/**
 * Computes the exact bounding box of the default scene without animation, in meters; undefined if the
 * scene is empty. It includes every instance, skins in their current pose, and morph targets with
 * their current weights, like the precise `Box3` of three.js.
 */
export function computeSceneBounds(document: Document): BoundingBox | undefined {
  const bounds: BoundingBox = {
    min: [Infinity, Infinity, Infinity],
    max: [-Infinity, -Infinity, -Infinity],
  };
  findDefaultScene(document)?.traverse((node) => {
    const primitives = node.getMesh()?.listPrimitives() ?? [];
    const skinMatrices = listSkinMatrices(node);
    const matrices = listWorldMatrices(node);
    for (const primitive of primitives) {
      if (skinMatrices && primitive.getAttribute('JOINTS_0')) {
        expandByPoints(bounds, readSkinnedPositions(primitive, node, skinMatrices), IDENTITY);
        continue;
      }
      const positions = readPositions(primitive, node);
      const isLarge = positions.length * matrices.length > 3 * MAX_INSTANCE_VERTICES;
      const points = isLarge ? listBoxCorners(positions) : positions;
      for (const matrix of matrices) expandByPoints(bounds, points, matrix);
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

function listBoxCorners(positions: Float64Array): Float64Array {
  const box: BoundingBox = {
    min: [Infinity, Infinity, Infinity],
    max: [-Infinity, -Infinity, -Infinity],
  };
  expandByPoints(box, positions, IDENTITY);
  const corners = new Float64Array(24);
  for (let index = 0; index < 24; index++) {
    const axis = (index % 3) as 0 | 1 | 2;
    corners[index] = (Math.floor(index / 3) >> axis) & 1 ? box.max[axis] : box.min[axis];
  }
  return corners;
}

function expandByPoints(bounds: BoundingBox, points: Float64Array, matrix: mat4): void {
  for (let offset = 0; offset < points.length; offset += 3) {
    expandByPoint(bounds, transformPoint(matrix, points, offset));
  }
}

function expandByPoint({ min, max }: BoundingBox, point: vec3): void {
  for (const axis of [0, 1, 2] as const) {
    if (point[axis] < min[axis]) min[axis] = point[axis];
    if (point[axis] > max[axis]) max[axis] = point[axis];
  }
}
