/**
 * Simplifies a model to a triangle budget.
 *
 * All parts get the same error, in the units of the scene: a small or flat part loses most of its
 * triangles before a large curved part loses any. The error is doubled in each round, until the
 * number of triangles is within the budget. Each round simplifies the result of the one before, so
 * that the time is linear: a round has less to do than the one before, and there are few.
 */
import type { Document } from '@gltf-transform/core';
import { MeshoptSimplifier } from 'meshoptimizer';
import { countSceneTriangles, findDefaultScene } from './model-counts.ts';
import { computeSceneExtent } from './scene-bounds.ts';
import { lockSharedVertices } from './shared-vertices.ts';
import {
  applyParts,
  countPartTriangles,
  listMeshParts,
  type MeshPart,
  simplifyPart,
  simplifySloppily,
} from './simplify-parts.ts';

/** `error` is in the units of the scene. */
type RoundOptions = { error: number; isPermissive: boolean };

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
  applyParts(await simplifyToLimit(document, maxTriangles));
}

/** Returns the simplified parts of the default scene, without applying them to the document. None if it is within the limit. */
export async function simplifyToLimit(
  document: Document,
  maxTriangles: number,
): Promise<MeshPart[]> {
  const total = countSceneTriangles(findDefaultScene(document));
  if (total <= maxTriangles) return [];
  await MeshoptSimplifier.ready;
  const sceneExtent = computeSceneExtent(document);
  const parts = listMeshParts(document, sceneExtent);
  const fixed = total - countPartTriangles(parts);
  const budget = Math.max(maxTriangles - fixed, MIN_BUDGET * maxTriangles);
  const unlock = lockSharedVertices(parts, sceneExtent);
  const [singlePart] = parts;
  // The error of a single part is found by meshoptimizer itself, without rounds.
  if (singlePart && parts.length === 1) {
    const targetTriangles = budget / singlePart.instances;
    simplifyPart(singlePart, { error: MAX_ERROR * sceneExtent, targetTriangles });
  }
  for (let error = INITIAL_ERROR; error <= MAX_ERROR; error *= 2) {
    if (countPartTriangles(parts) <= budget) break;
    const isPermissive = error > MAX_LOCKED_ERROR;
    if (isPermissive) unlock();
    simplifyParts(parts, { error: error * sceneExtent, isPermissive }, budget);
  }
  if (countPartTriangles(parts) > budget) simplifyPartsSloppily(parts, budget);
  return parts;
}

/** Simplifies all parts within an error, but by no more than the budget needs. */
function simplifyParts(parts: readonly MeshPart[], round: RoundOptions, budget: number): void {
  const before = countPartTriangles(parts);
  const sources = parts.map(({ geometry: { indices }, error }) => ({ indices, error }));
  for (const part of parts) simplifyPart(part, round);
  const after = countPartTriangles(parts);
  if (after >= MIN_BUDGET_USE * budget) return;
  // Each part gets back the same share of what it lost.
  const share = (budget - after) / (before - after);
  for (const [index, part] of parts.entries()) {
    const { indices } = part.geometry;
    const source = sources[index] as (typeof sources)[number];
    if (indices.length === source.indices.length) continue;
    part.geometry.indices = source.indices;
    part.error = source.error;
    const lost = (source.indices.length - indices.length) / 3;
    simplifyPart(part, { ...round, targetTriangles: indices.length / 3 + share * lost });
  }
}

/** Simplifies without regard to the topology and the error: the last way to reach the budget. */
function simplifyPartsSloppily(parts: readonly MeshPart[], budget: number): void {
  const share = budget / countPartTriangles(parts);
  for (const part of parts) simplifySloppily(part, (share * part.geometry.indices.length) / 3);
}
