import type { BoundingBox } from '@cloche/contract/viewer-config';
import {
  type Document,
  MathUtils,
  type mat4,
  type Node,
  type Primitive,
  type vec3,
  type vec4,
} from '@gltf-transform/core';
import type { InstancedMesh } from '@gltf-transform/extensions';
import { multiplyMatrices } from '../mesh/matrix.ts';
import { findDefaultScene } from './model-counts.ts';

/** Above this number of vertices, those of an instanced mesh are replaced by the corners of its box. */
const MAX_INSTANCE_VERTICES = 20_000_000;

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
      const positions = readPositions(primitive, node);
      if (skinMatrices && primitive.getAttribute('JOINTS_0')) {
        expandBySkin(bounds, { primitive, positions, skinMatrices });
        continue;
      }
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

/** Reads the positions of the rendered vertices, moved by the morph targets. */
function readPositions(primitive: Primitive, node: Node): Float64Array {
  const position = primitive.getAttribute('POSITION');
  const positions = new Float64Array(3 * (position?.getCount() ?? 0));
  const element: number[] = [];
  const weights = node.getWeights().length > 0 ? node.getWeights() : node.getMesh()?.getWeights();
  const add = (attribute: ReturnType<Primitive['getAttribute']>, weight: number) => {
    for (let offset = 0; attribute && offset < positions.length; offset += 3) {
      attribute.getElement(offset / 3, element);
      for (let axis = 0; axis < 3; axis++) {
        positions[offset + axis] =
          (positions[offset + axis] as number) + weight * (element[axis] as number);
      }
    }
  };
  add(position, 1);
  primitive.listTargets().forEach((target, index) => {
    const weight = weights?.[index] ?? 0;
    if (weight !== 0) add(target.getAttribute('POSITION'), weight);
  });
  return positions;
}

/** For each joint, the matrix from the mesh's space to the scene's; undefined without a skin. */
function listSkinMatrices(node: Node): mat4[] | undefined {
  const skin = node.getSkin();
  const inverseBindMatrices = skin?.getInverseBindMatrices();
  return skin?.listJoints().map((joint, index) => {
    const inverse = inverseBindMatrices?.getElement(index, []) as mat4 | undefined;
    return inverse ? multiplyMatrices(joint.getWorldMatrix(), inverse) : joint.getWorldMatrix();
  });
}

type SkinnedPrimitive = { primitive: Primitive; positions: Float64Array; skinMatrices: mat4[] };

function expandBySkin(
  bounds: BoundingBox,
  { primitive, positions, skinMatrices }: SkinnedPrimitive,
): void {
  const sets = primitive
    .listSemantics()
    .filter((semantic) => semantic.startsWith('JOINTS_'))
    .map((semantic) => ({
      joints: primitive.getAttribute(semantic),
      weights: primitive.getAttribute(semantic.replace('JOINTS', 'WEIGHTS')),
    }));
  const [joints, weights]: [number[], number[]] = [[], []];
  for (let offset = 0; offset < positions.length; offset += 3) {
    const sum: vec3 = [0, 0, 0];
    let total = 0;
    for (const set of sets) {
      set.joints?.getElement(offset / 3, joints);
      set.weights?.getElement(offset / 3, weights);
      joints.forEach((joint, index) => {
        const [weight, matrix] = [weights[index] ?? 0, skinMatrices[joint]];
        if (weight === 0 || matrix === undefined) return;
        const point = transformPoint(matrix, positions, offset);
        for (const axis of [0, 1, 2] as const) sum[axis] += weight * point[axis];
        total += weight;
      });
    }
    // three.js scales the weights of a vertex to a sum of 1.
    if (total > 0) expandByPoint(bounds, sum.map((value) => value / total) as vec3);
  }
}

function listWorldMatrices(node: Node): mat4[] {
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

function listBoxCorners(positions: Float64Array): Float64Array {
  const box: BoundingBox = {
    min: [Infinity, Infinity, Infinity],
    max: [-Infinity, -Infinity, -Infinity],
  };
  expandByPoints(box, positions, [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
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

function transformPoint(matrix: mat4, points: Float64Array, offset: number): vec3 {
  const [x, y, z] = [
    points[offset] as number,
    points[offset + 1] as number,
    points[offset + 2] as number,
  ];
  const transformRow = (row: number) =>
    (matrix[row] as number) * x +
    (matrix[4 + row] as number) * y +
    (matrix[8 + row] as number) * z +
    (matrix[12 + row] as number);
  return [transformRow(0), transformRow(1), transformRow(2)];
}
