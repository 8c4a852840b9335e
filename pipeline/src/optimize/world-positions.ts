import {
  MathUtils,
  type mat4,
  type Node,
  type Primitive,
  type vec3,
  type vec4,
} from '@gltf-transform/core';
import type { InstancedMesh } from '@gltf-transform/extensions';
import { multiplyMatrices } from '../mesh/matrix.ts';

/** Lists the matrices from a node's mesh to the scene: one, or one per instance. */
export function listWorldMatrices(node: Node): mat4[] {
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

/** Reads the positions of the vertices in the mesh's space, moved by the morph targets. */
export function readPositions(primitive: Primitive, node: Node): Float64Array {
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
  const array = position?.getArray();
  if (array instanceof Float32Array) positions.set(array);
  else add(position, 1);
  primitive.listTargets().forEach((target, index) => {
    const weight = weights?.[index] ?? 0;
    if (weight !== 0) add(target.getAttribute('POSITION'), weight);
  });
  return positions;
}

/**
 * Reads the positions of the vertices of a skinned primitive in the scene's space, with the skin in its
 * current pose; NaN for vertices without weights.
 */
export function readSkinnedPositions(
  primitive: Primitive,
  node: Node,
  skinMatrices: readonly mat4[],
): Float64Array {
  const positions = readPositions(primitive, node);
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
    for (const axis of [0, 1, 2] as const) {
      positions[offset + axis] = total > 0 ? sum[axis] / total : Number.NaN;
    }
  }
  return positions;
}

/** For each joint, the matrix from the mesh's space to the scene's; undefined without a skin. */
export function listSkinMatrices(node: Node): mat4[] | undefined {
  const skin = node.getSkin();
  const inverseBindMatrices = skin?.getInverseBindMatrices();
  return skin?.listJoints().map((joint, index) => {
    const inverse = inverseBindMatrices?.getElement(index, []) as mat4 | undefined;
    return inverse ? multiplyMatrices(joint.getWorldMatrix(), inverse) : joint.getWorldMatrix();
  });
}

/** Transforms the point whose coordinates start at an offset. */
export function transformPoint(matrix: mat4, points: ArrayLike<number>, offset: number): vec3 {
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
