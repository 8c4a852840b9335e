import type { Document, Mesh, mat4, Node, Primitive, vec2 } from '@gltf-transform/core';
import type { Transform } from '@gltf-transform/extensions';
import { MeshoptSimplifier, type SimplifierFlags } from 'meshoptimizer';
import { isUnlit } from './drop-unused-attributes.ts';
import { countInstances, findDefaultScene } from './model-counts.ts';
import { listPrimitiveMaterials } from './primitive-modes.ts';
import {
  type SimplifiableGeometry,
  type SimplifiedGeometry,
  setTriangles,
  simplifyGeometry,
  toSimplifiableGeometry,
} from './simplify-primitive.ts';
import { listTextureBindings } from './texture-bindings.ts';
import { computeDisplayScale, computeMeshExtent } from './world-scale.ts';

/** A primitive that is simplified. */
export type MeshPart = {
  primitive: Primitive;
  /** `geometry.indices` is the current result. */
  geometry: SimplifiableGeometry;
  /** How often it is drawn. */
  instances: number;
  /** The largest scale at which it is shown. */
  scale: number;
  /** Where it is drawn; the first place if there are several. */
  matrix: mat4;
  /**
   * Whether `error` says what is visible. Without normals, each triangle has a shade of its own, so that larger ones are visible at any
   * size. Skins and morph targets show other shapes than the one that is simplified. Only the first texture coordinates are compared.
   */
  hasMeasurableError: boolean;
  /** How far the current result is from the original, in the units of the mesh. Infinite if that is not measurable. */
  error: number;
};

/** `error` is in the units of the scene. */
type PartOptions = { error: number; targetTriangles?: number; isPermissive?: boolean };

/**
 * The share of its area that a part may lose. Pieces smaller than the error disappear, and many are visible together, such as the
 * leaves of a tree.
 */
const MAX_LOST_AREA = 0.1;

/** Lists the primitives of the default scene that have triangles to remove. */
export function listMeshParts(document: Document, sceneExtent: number): MeshPart[] {
  const nodes = new Map<Mesh, Node[]>();
  findDefaultScene(document)?.traverse((node) => {
    const mesh = node.getMesh();
    if (!mesh) return;
    const others = nodes.get(mesh);
    if (others) others.push(node);
    else nodes.set(mesh, [node]);
  });
  return [...nodes].flatMap(([mesh, meshNodes]) => {
    const instances = meshNodes.reduce((sum, node) => sum + countInstances(node), 0);
    const scale = computeDisplayScale(mesh, sceneExtent, computeMeshExtent(mesh));
    const matrix = (meshNodes[0] as Node).getWorldMatrix();
    return mesh.listPrimitives().flatMap((primitive) => {
      const geometry = toSimplifiableGeometry(primitive, findTexCoordScale(document, primitive));
      if (geometry === undefined) return [];
      const place = { instances, scale, matrix };
      const hasMeasurableError = isErrorMeasurable(primitive);
      return [{ primitive, geometry, ...place, hasMeasurableError, error: 0 }];
    });
  });
}

function isErrorMeasurable(primitive: Primitive): boolean {
  const materials = listPrimitiveMaterials(primitive);
  const isFlatShaded =
    primitive.getAttribute('NORMAL') === null &&
    !(materials.length > 0 && materials.every(isUnlit));
  const isDeformed = primitive.listTargets().length > 0 || primitive.getAttribute('JOINTS_0');
  return !isFlatShaded && !isDeformed && primitive.getAttribute('TEXCOORD_1') === null;
}

/** Quantized texture coordinates are integers, which the texture transforms of the material scale. */
function findTexCoordScale(document: Document, primitive: Primitive): vec2 {
  const material = primitive.getMaterial();
  const isInteger = primitive.getAttribute('TEXCOORD_0')?.getArray() instanceof Uint16Array;
  if (!material || !isInteger) return [1, 1];
  const binding = listTextureBindings(document, material).find(({ texCoord }) => texCoord === 0);
  const transform = binding?.info.getExtension<Transform>('KHR_texture_transform');
  return transform?.getScale() ?? [1, 1];
}

/** Counts the triangles of all instances. */
export function countPartTriangles(parts: readonly MeshPart[]): number {
  return parts.reduce(
    (sum, { geometry, instances }) => sum + (instances * geometry.indices.length) / 3,
    0,
  );
}

/** Computes how far the simplified parts are from the original, in the units of the scene. Infinite if that is not measurable. */
export function computeError(parts: readonly MeshPart[]): number {
  return parts.reduce((largest, { error, scale }) => Math.max(largest, error * scale), 0);
}

/** Whether the part, which is not applied yet, has a visibly smaller area than its primitive. */
export function hasLostPieces({ primitive, geometry }: MeshPart): boolean {
  const { indices, positions } = geometry;
  const before = computeArea(primitive.getIndices()?.getArray() ?? [], positions);
  return computeArea(indices, positions) < (1 - MAX_LOST_AREA) * before;
}

/** Computes the area of triangles. */
function computeArea(indices: ArrayLike<number>, positions: Float32Array): number {
  let area = 0;
  for (let index = 0; index < indices.length; index += 3) {
    const a = 3 * (indices[index] as number);
    const b = 3 * (indices[index + 1] as number);
    const c = 3 * (indices[index + 2] as number);
    const ux = (positions[b] as number) - (positions[a] as number);
    const uy = (positions[b + 1] as number) - (positions[a + 1] as number);
    const uz = (positions[b + 2] as number) - (positions[a + 2] as number);
    const vx = (positions[c] as number) - (positions[a] as number);
    const vy = (positions[c + 1] as number) - (positions[a + 1] as number);
    const vz = (positions[c + 2] as number) - (positions[a + 2] as number);
    const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    area += Math.sqrt(x * x + y * y + z * z) / 2;
  }
  return area;
}

/** Removes triangles of a part within an error. */
export function simplifyPart(
  part: MeshPart,
  { error, targetTriangles = 0, isPermissive = false }: PartOptions,
): void {
  const { geometry, scale } = part;
  // Pieces smaller than the error are removed, also those with locked vertices.
  const flags: SimplifierFlags[] = isPermissive ? ['Prune', 'Permissive'] : ['Prune'];
  update(part, simplifyGeometry(geometry, { error: error / scale, targetTriangles, flags }));
}

/** Simplifies a part without regard to its topology and the error. */
export function simplifySloppily(part: MeshPart, targetTriangles: number): void {
  const { indices, positions, locked } = part.geometry;
  const [simplified, relativeError] = MeshoptSimplifier.simplifySloppy(
    indices,
    positions,
    3,
    locked,
    3 * Math.max(0, Math.floor(targetTriangles)),
    1,
  );
  const error = relativeError * MeshoptSimplifier.getScale(positions, 3);
  update(part, { indices: simplified, error });
}

function update(part: MeshPart, { indices, error }: SimplifiedGeometry): void {
  if (indices.length === 0 || indices.length === part.geometry.indices.length) return;
  part.geometry.indices = indices;
  part.error = part.hasMeasurableError ? combineErrors(part.error, error) : Infinity;
}

/**
 * Returns the error of one simplification after another: the root of the sum of the squares, because the largest errors are seldom at the same
 * place. It is an estimate, not a bound.
 */
export const combineErrors = Math.hypot;

/** Sets the results of all parts. */
export function applyParts(parts: readonly MeshPart[]): void {
  for (const { primitive, geometry } of parts) setTriangles(primitive, geometry.indices);
}
