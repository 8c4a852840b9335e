import { estimateMaxSize } from '@cloche/contract/geometry-size';
import { type Document, PropertyType } from '@gltf-transform/core';
import { dedup } from '@gltf-transform/functions';
import { MeshoptSimplifier } from 'meshoptimizer';
import { simplifyToLimit } from '../limit-triangles.ts';
import { countPrimitiveTriangles, countSceneTriangles, findDefaultScene } from '../model-counts.ts';
import { reorderMeshes } from '../order/reorder-meshes.ts';
import { computeSceneExtent } from '../scene-bounds.ts';
import { lockSharedVertices } from '../shared-vertices.ts';
import {
  applyParts,
  combineErrors,
  computeError,
  countPartTriangles,
  hasLostPieces,
  listMeshParts,
  type MeshPart,
  simplifyPart,
} from '../simplify-parts.ts';

/**
 * A geometry with fewer triangles than the model: what is enough for a size on the screen, in device pixels, or otherwise a number of them.
 * If both are given, the number is for models of which a size needs too many, and only if no pieces disappear.
 */
export type GeometryLevel = { maxSize?: number; maxTriangles?: number };

/**
 * `first` has as many triangles as a phone draws without effort. `medium` is for models with fewer, in an iframe of
 * 800 × 600, of which a model fills four fifths. `small` is for an iframe of 400 × 300.
 */
export const GEOMETRY_LEVELS = {
  first: { maxTriangles: 150_000 },
  medium: { maxSize: 640 },
  small: { maxSize: 320, maxTriangles: 37_500 },
} as const satisfies Record<string, GeometryLevel>;

/** Models up to this number of triangles have no levels, or no `first`; the viewer knows the latter, too (select-geometry.ts). */
const [MAX_SMALL_MODEL, MAX_MEDIUM_MODEL] = [75_000, 187_500];
/** The share of triangles that a level saves at least: a file more would save its visitors little. */
const MIN_SAVING = 0.2;
/** A level above its limit, because the parts cannot be simplified more, must save more. */
const MIN_SAVING_ABOVE_LIMIT = 0.5;

/**
 * The error that is hardly visible, in device pixels. FlightHelmet, 480 pixels high, three sides, compared with the whole model (SSIM, and
 * pixels of which a color differs by more than 16): 0.4 pixels 0.9990, 333; 0.6 pixels 0.9980, 602; 0.8 pixels 0.9963, 1037.
 */
const MAX_ERROR_PIXELS = 0.6;
/** Larger than any screen. */
const MAX_SIZE = 16_384;

/** Whether a model, with its instances, has so many triangles that a level saves visitors time. */
export function hasManyTriangles(document: Document): boolean {
  return countTriangles(document) > MAX_SMALL_MODEL;
}

/** Returns the levels that a model may have, in the order in which each is simplified to the next. */
export function listLevels(document: Document): GeometryLevel[] {
  if (!hasManyTriangles(document)) return [];
  const { first, medium, small } = GEOMETRY_LEVELS;
  return [countTriangles(document) > MAX_MEDIUM_MODEL ? first : medium, small];
}

/** A document that is now a level. */
type Level = {
  /** How far it is from the model, relative to the longest side of the scene; see `computeError`. */
  error: number;
  /** The longest side of the model on the screen, in device pixels, up to which it looks like the model. 0 if that is not known. */
  maxSize: number;
};

/**
 * Simplifies a quantized model, or a larger level of it, to a level. Nodes, meshes and primitives stay the same, and
 * so do the positions of the remaining vertices: the viewer replaces only the geometries with the larger ones.
 *
 * @param previousError that the document has already
 * @returns undefined if the level would save too little, or be above its limit: then nothing is changed
 */
export async function simplifyToLevel(
  document: Document,
  { maxSize, maxTriangles }: GeometryLevel,
  previousError: number,
): Promise<Level | undefined> {
  const sceneExtent = computeSceneExtent(document);
  let parts: MeshPart[] | undefined;
  if (maxSize !== undefined)
    parts = await simplifyForSize(document, sceneExtent, { maxSize, previousError });
  if (maxTriangles !== undefined)
    parts ??= await simplifyToTriangles(document, maxTriangles, maxSize !== undefined);
  if (parts === undefined) return undefined;
  const error = combineErrors(previousError, computeError(parts) / sceneExtent);
  const hasAllPieces = !parts.some(hasLostPieces);
  applyParts(parts);
  const estimate = hasAllPieces ? estimateMaxSize(countTriangles(document)) : 0;
  await reorderMeshes(document);
  // Meshes that differ only in their material share accessors again: each was simplified separately.
  await document.transform(dedup({ propertyTypes: [PropertyType.ACCESSOR] }));
  return { error, maxSize: Math.max(toMaxSize(error), estimate) };
}

/** Returns the longest side of a model on the screen, in device pixels, up to which an error is hardly visible. 0 if it is not known. */
export function toMaxSize(error: number): number {
  return Math.min(MAX_SIZE, Math.floor(MAX_ERROR_PIXELS / error));
}

async function simplifyToTriangles(
  document: Document,
  maxTriangles: number,
  mustKeepPieces: boolean,
): Promise<MeshPart[] | undefined> {
  const before = countTriangles(document);
  if (maxTriangles > (1 - MIN_SAVING) * before) return undefined;
  const parts = await simplifyToLimit(document, maxTriangles);
  const after = before - countRemovedTriangles(parts);
  if (after > maxTriangles && after > (1 - MIN_SAVING_ABOVE_LIMIT) * before) return undefined;
  return mustKeepPieces && parts.some(hasLostPieces) ? undefined : parts;
}

/** Removes the triangles whose absence is hardly visible in this size. */
async function simplifyForSize(
  document: Document,
  sceneExtent: number,
  { maxSize, previousError }: { maxSize: number; previousError: number },
): Promise<MeshPart[] | undefined> {
  const maxError = MAX_ERROR_PIXELS / maxSize;
  if (previousError >= maxError) return undefined;
  await MeshoptSimplifier.ready;
  const parts = listMeshParts(document, sceneExtent);
  lockSharedVertices(parts, sceneExtent);
  const remainingError = Math.sqrt(maxError ** 2 - previousError ** 2) * sceneExtent;
  for (const part of parts.filter(({ hasMeasurableError }) => hasMeasurableError)) {
    const { indices } = part.geometry;
    simplifyPart(part, { error: remainingError });
    if (!hasLostPieces(part)) continue;
    part.geometry.indices = indices;
    part.error = 0;
  }
  const isLevel = countRemovedTriangles(parts) >= MIN_SAVING * countTriangles(document);
  return isLevel ? parts : undefined;
}

function countRemovedTriangles(parts: readonly MeshPart[]): number {
  const before = parts.reduce(
    (sum, { primitive, instances }) => sum + instances * countPrimitiveTriangles(primitive),
    0,
  );
  return before - countPartTriangles(parts);
}

function countTriangles(document: Document): number {
  return countSceneTriangles(findDefaultScene(document));
}
