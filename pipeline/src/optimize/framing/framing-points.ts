/**
 * Finds few points by which the camera frames a model from any side: then the viewer need not measure the model before the first frame.
 *
 * The distance at which a model fits the frame depends only on how far its points are in a few directions, which are perpendicular to the edges
 * of the frame. For 1000 directions, the extreme point is found; of these, as few are kept as are nearly enough for all directions.
 *
 * Notes (November 2026). FlightHelmet with 53,981 vertices has 184 points, the largest of its distances is 0.28 % too small (2,880 sides), and this takes
 * 30 to 80 ms. A tolerance of 5e-4: 210 points, 0.26 %. 2e-3: 122 points, 0.68 %. Every third vertex, which the viewer measured before: 18,080
 * points, 0.43 %, and up to 0.75 % with its smaller geometries.
 */
import { type FramingPoints, MAX_COORDINATE } from '@cloche/contract/framing-points';
import type { Document, mat4, Node, Primitive } from '@gltf-transform/core';
import type { Vector3 } from '../../mesh/matrix.ts';
import { findDefaultScene } from '../model-counts.ts';
import { listWorldMatrices, readPositions } from '../world-positions.ts';
import { AXES, ExtremePoints } from './extreme-points.ts';

const DIRECTION_COUNT = 1000;
/** How far a point that is left out may be outside of the others, relative to half of the diagonal of the box. */
const TOLERANCE = 1e-3;
/** The viewer measures fewer vertices in 5 ms, and the points of a round model have 2 kB. */
const MIN_VERTICES = 5000;
/** With more, all instances counted, it would take longer than a second. */
const MAX_VERTICES = 10_000_000;
/** Half a second. FlightHelmet needs 4 million. Only vertices in a random order, such as those of a point cloud, need more. */
const MAX_COMPARISONS = 100_000_000;

/**
 * Returns the framing points of the default scene. Undefined if its animations, skins or morph targets may change its shape, if it has few
 * vertices, too many in all instances, or many in a random order: then the viewer measures it.
 */
export function computeFramingPoints(document: Document): FramingPoints | undefined {
  if (isDeformable(document)) return undefined;
  const drawings = listDrawings(document);
  const vertices = drawings.reduce((sum, { count, matrices }) => sum + count * matrices.length, 0);
  if (vertices < MIN_VERTICES || vertices > MAX_VERTICES) return undefined;
  const extremes = new ExtremePoints(DIRECTION_COUNT);
  for (const { primitive, node, matrices } of drawings) {
    const positions = readPositions(primitive, node);
    for (const matrix of matrices)
      if (!extremes.add(positions, matrix, MAX_COMPARISONS)) return undefined;
  }
  if (!extremes.distances.every(Number.isFinite)) return undefined;
  return encode(extremes, selectDirections(extremes));
}

function listDrawings(document: Document) {
  const drawings: { primitive: Primitive; node: Node; matrices: mat4[]; count: number }[] = [];
  findDefaultScene(document)?.traverse((node) => {
    for (const primitive of node.getMesh()?.listPrimitives() ?? []) {
      const count = primitive.getAttribute('POSITION')?.getCount() ?? 0;
      drawings.push({ primitive, node, matrices: listWorldMatrices(node), count });
    }
  });
  return drawings;
}

function isDeformable(document: Document): boolean {
  const root = document.getRoot();
  const primitives = root.listMeshes().flatMap((mesh) => mesh.listPrimitives());
  return (
    root.listAnimations().length > 0 ||
    root.listSkins().length > 0 ||
    primitives.some((primitive) => primitive.listTargets().length > 0)
  );
}

/**
 * Selects directions whose extreme points are enough: the axes, so that the box is exact, then always the one in which the points so far are
 * farthest behind.
 */
function selectDirections(extremes: ExtremePoints): number[] {
  const { distances } = extremes;
  const tolerance = (TOLERANCE * Math.hypot(...getSize(extremes))) / 2;
  const reached = new Float64Array(distances.length).fill(-Infinity);
  const selected: number[] = [];
  for (let next: number | undefined = 0; next !== undefined; ) {
    selected.push(next);
    extremes.reach(next, reached);
    next =
      selected.length < AXES.length
        ? selected.length
        : findFarthestBehind(distances, reached, tolerance);
  }
  return selected;
}

/** Undefined if none is behind by more than the tolerance. */
function findFarthestBehind(
  distances: Float64Array,
  reached: Float64Array,
  tolerance: number,
): number | undefined {
  let [farthest, found] = [tolerance, undefined as number | undefined];
  for (const [index, distance] of distances.entries()) {
    const behind = distance - (reached[index] as number);
    if (behind > farthest) [farthest, found] = [behind, index];
  }
  return found;
}

function getSize({ distances }: ExtremePoints): Vector3 {
  return [0, 1, 2].map(
    (axis) => (distances[axis + 3] as number) + (distances[axis] as number),
  ) as Vector3;
}

function encode(extremes: ExtremePoints, selected: readonly number[]): FramingPoints {
  const { distances, points } = extremes;
  const min = [0, 1, 2].map((axis) => -(distances[axis] as number)) as Vector3;
  const max = [0, 1, 2].map((axis) => distances[axis + 3] as number) as Vector3;
  const size = getSize(extremes);
  const bytes = Buffer.alloc(6 * selected.length);
  for (const [order, index] of selected.entries())
    for (const axis of [0, 1, 2] as const) {
      const offset = (points[3 * index + axis] as number) - min[axis];
      const share = offset / (size[axis] || 1);
      bytes.writeUInt16LE(Math.round(MAX_COORDINATE * share), 6 * order + 2 * axis);
    }
  return { min, max, points: bytes.toString('base64') };
}
