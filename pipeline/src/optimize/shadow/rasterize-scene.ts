import type { Document, mat4, Node, Primitive } from '@gltf-transform/core';
import { IDENTITY_MATRIX } from '../../mesh/matrix.ts';
import { findDefaultScene } from '../model-counts.ts';
import { isTriangleList } from '../primitive-modes.ts';
import {
  listSkinMatrices,
  listWorldMatrices,
  readPositions,
  readSkinnedPositions,
} from '../world-positions.ts';
import type { Corners, HeightMap } from './height-map.ts';
import type { OpacityReader } from './opacity.ts';

/** The place of the height map in the scene. */
export type Placement = {
  minX: number;
  minZ: number;
  /** The height of the ground. */
  y: number;
  samplesPerMeter: number;
  /** Units of height in the map, per meter. */
  heightPerMeter: number;
};

export type RasterizeOptions = {
  placement: Placement;
  /** Returns how opaque the triangles of a primitive are. */
  getOpacity: (primitive: Primitive) => OpacityReader;
  /** Stops when the map has counted this many operations. */
  maxOperations: number;
};

/**
 * Draws the triangles of the default scene into a height map: skins in their current pose, and all instances.
 * Returns false if it has stopped because there was too much to draw.
 */
export function rasterizeScene(
  document: Document,
  map: HeightMap,
  options: RasterizeOptions,
): boolean {
  const nodes: Node[] = [];
  findDefaultScene(document)?.traverse((node) => nodes.push(node));
  return nodes.every((node) => rasterizeNode(node, map, options));
}

function rasterizeNode(node: Node, map: HeightMap, options: RasterizeOptions): boolean {
  const primitives = node.getMesh()?.listPrimitives().filter(isTriangleList) ?? [];
  if (primitives.length === 0) return true;
  const skinMatrices = listSkinMatrices(node);
  const matrices = listWorldMatrices(node);
  return primitives.every((primitive) => {
    const isSkinned = skinMatrices !== undefined && primitive.getAttribute('JOINTS_0') !== null;
    const positions = isSkinned
      ? readSkinnedPositions(primitive, node, skinMatrices)
      : readPositions(primitive, node);
    const worldMatrices = isSkinned ? [IDENTITY_MATRIX as mat4] : matrices;
    const triangles = { primitive, positions };
    return worldMatrices.every((matrix) => rasterize(triangles, matrix, map, options));
  });
}

type Triangles = { primitive: Primitive; positions: Float64Array };

function rasterize(
  { primitive, positions }: Triangles,
  matrix: mat4,
  map: HeightMap,
  { placement, getOpacity, maxOperations }: RasterizeOptions,
): boolean {
  const indices = primitive.getIndices()?.getArray();
  const count = Math.floor((indices?.length ?? positions.length / 3) / 3) * 3;
  const readOpacity = getOpacity(primitive);
  const corners = new Float64Array(9);
  const setCorner = createCornerSetter(corners, positions, toMapMatrix(matrix, placement));
  for (let index = 0; index < count; index += 3) {
    if (map.operationCount > maxOperations) return false;
    const a = indices ? (indices[index] as number) : index;
    const b = indices ? (indices[index + 1] as number) : index + 1;
    const c = indices ? (indices[index + 2] as number) : index + 2;
    setCorner(0, a);
    setCorner(3, b);
    setCorner(6, c);
    map.addTriangle(corners, readOpacity(index / 3));
  }
  return true;
}

/** Returns the matrix from a mesh to the coordinates of the map. */
function toMapMatrix(matrix: mat4, placement: Placement): Float64Array {
  const { minX, minZ, y, samplesPerMeter, heightPerMeter } = placement;
  const scales = [samplesPerMeter, heightPerMeter, samplesPerMeter];
  const origin = [minX, y, minZ];
  const result = new Float64Array(12);
  for (let axis = 0; axis < 3; axis++) {
    const scale = scales[axis] as number;
    for (let column = 0; column < 3; column++) {
      result[3 * column + axis] = scale * (matrix[4 * column + axis] as number);
    }
    result[9 + axis] = scale * ((matrix[12 + axis] as number) - (origin[axis] as number));
  }
  return result;
}

/** Returns a function that transforms a vertex and writes it to an offset of `corners`. */
function createCornerSetter(
  corners: Corners,
  positions: Float64Array,
  matrix: Float64Array,
): (offset: number, vertex: number) => void {
  return (offset, vertex) => {
    const x = positions[3 * vertex] as number;
    const y = positions[3 * vertex + 1] as number;
    const z = positions[3 * vertex + 2] as number;
    for (let axis = 0; axis < 3; axis++) {
      corners[offset + axis] =
        (matrix[axis] as number) * x +
        (matrix[3 + axis] as number) * y +
        (matrix[6 + axis] as number) * z +
        (matrix[9 + axis] as number);
    }
  };
}
