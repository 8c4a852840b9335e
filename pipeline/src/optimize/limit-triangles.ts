/**
 * Simplifies a model to a triangle budget.
 *
 * All parts get the same error, in the units of the scene: a small or flat part loses most of its
 * triangles before a large curved part loses any. The error is doubled in each round, until the
 * number of triangles is within the budget. Each round simplifies the result of the one before, so
 * that the time is linear: a round has less to do than the one before, and there are few.
 */
import type { Document, Mesh, mat4, Node, Primitive, vec2 } from '@gltf-transform/core';
import type { Transform } from '@gltf-transform/extensions';
import { MeshoptSimplifier } from 'meshoptimizer';
import { countInstances, countSceneTriangles, findDefaultScene } from './model-counts.ts';
import { computeSceneExtent } from './scene-bounds.ts';
import { lockSharedVertices } from './shared-vertices.ts';
import {
  type SimplifiableGeometry,
  setTriangles,
  simplifyGeometry,
  toSimplifiableGeometry,
} from './simplify-primitive.ts';
import { listTextureBindings } from './texture-bindings.ts';
import { computeDisplayScale, computeMeshExtent } from './world-scale.ts';

/** A primitive that is simplified. `geometry.indices` is the current result. */
type Part = {
  primitive: Primitive;
  geometry: SimplifiableGeometry;
  /** How often it is drawn. */
  instances: number;
  /** The largest scale at which it is shown. */
  scale: number;
  /** Where it is drawn; the first place if there are several. */
  matrix: mat4;
};

/** `error` is in the units of the scene. */
type RoundOptions = { error: number; targetTriangles?: number; isPermissive?: boolean };

/** Errors of the first and the last round, relative to the longest side of the scene. */
const [INITIAL_ERROR, MAX_ERROR] = [2e-4, 0.1];
/** Up to this error, vertices that two parts have in common are kept, and no seams open. */
const MAX_LOCKED_ERROR = 0.01;
/** The share of the limit that parts with enough triangles keep, however many the others have. */
const MIN_BUDGET = 0.1;
/** A round that uses less of the budget is repeated with a target. */
const MIN_BUDGET_USE = 0.8;

/** Simplifies the default scene to at most `maxTriangles`, if its parts have enough triangles to remove. */
export async function limitTriangles(document: Document, maxTriangles: number): Promise<void> {
  const total = countSceneTriangles(findDefaultScene(document));
  if (total <= maxTriangles) return;
  await MeshoptSimplifier.ready;
  const sceneExtent = computeSceneExtent(document);
  const parts = listParts(document, sceneExtent);
  const fixed = total - countTriangles(parts);
  const budget = Math.max(maxTriangles - fixed, MIN_BUDGET * maxTriangles);
  const unlock = lockSharedVertices(parts, sceneExtent);
  const [singlePart] = parts;
  // The error of a single part is found by meshoptimizer itself, without rounds.
  if (singlePart && parts.length === 1) {
    const targetTriangles = budget / singlePart.instances;
    simplifyPart(singlePart, { error: MAX_ERROR * sceneExtent, targetTriangles });
  }
  for (let error = INITIAL_ERROR; error <= MAX_ERROR; error *= 2) {
    if (countTriangles(parts) <= budget) break;
    const isPermissive = error > MAX_LOCKED_ERROR;
    if (isPermissive) unlock();
    simplifyParts(parts, { error: error * sceneExtent, isPermissive }, budget);
  }
  if (countTriangles(parts) > budget) simplifyPartsSloppily(parts, budget);
  for (const { primitive, geometry } of parts) setTriangles(primitive, geometry.indices);
}

function listParts(document: Document, sceneExtent: number): Part[] {
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
      return geometry ? [{ primitive, geometry, instances, scale, matrix }] : [];
    });
  });
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

function countTriangles(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + countPartTriangles(part, part.geometry.indices), 0);
}

function countPartTriangles({ instances }: Part, indices: Uint32Array): number {
  return (instances * indices.length) / 3;
}

/** Simplifies all parts within an error, but by no more than the budget needs. */
function simplifyParts(parts: readonly Part[], round: RoundOptions, budget: number): void {
  const before = countTriangles(parts);
  const sources = parts.map(({ geometry }) => geometry.indices);
  for (const part of parts) simplifyPart(part, round);
  const after = countTriangles(parts);
  if (after >= MIN_BUDGET_USE * budget) return;
  // Each part gets back the same share of what it lost.
  const share = (budget - after) / (before - after);
  for (const [index, part] of parts.entries()) {
    const { indices } = part.geometry;
    const source = sources[index] as Uint32Array;
    if (indices.length === source.length) continue;
    part.geometry.indices = source;
    const lost = (source.length - indices.length) / 3;
    simplifyPart(part, { ...round, targetTriangles: indices.length / 3 + share * lost });
  }
}

function simplifyPart(
  { geometry, scale }: Part,
  { error, targetTriangles = 0, isPermissive = false }: RoundOptions,
): void {
  const indices = simplifyGeometry(geometry, {
    error: error / scale,
    targetTriangles,
    // Parts smaller than the error are removed, if they are not the extreme ones of their mesh.
    flags: isPermissive ? ['Prune', 'Permissive'] : ['Prune'],
  });
  if (indices.length > 0) geometry.indices = indices;
}

/** Simplifies without regard to the topology and the error: the last way to reach the budget. */
function simplifyPartsSloppily(parts: readonly Part[], budget: number): void {
  const share = budget / countTriangles(parts);
  for (const { geometry } of parts) {
    const { indices, positions, locked } = geometry;
    const targetIndices = 3 * Math.max(0, Math.floor((share * indices.length) / 3));
    const [simplified] = MeshoptSimplifier.simplifySloppy(
      indices,
      positions,
      3,
      locked,
      targetIndices,
      1,
    );
    if (simplified.length > 0) geometry.indices = simplified;
  }
}
