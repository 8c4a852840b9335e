/**
 * Generates the preview: a simplified copy of the model in at most 100 kB, shown while the model loads.
 *
 * Notes (November 2026). SSIM of the preview to the original (least of three sides), and the error of
 * its surface, relative to the longest side of the scene:
 *
 *                              FlightHelmet            WaterBottle
 *   textures at most 50 kB     96,516  0.9466  1.1 %   61,788  0.9949  0.04 %   chosen if geometry is small
 *   textures at most 25 kB     93,288  0.9507  0.7 %   36,420  0.9935  0.04 %   chosen otherwise
 *   textures at most 35 kB     99,392  0.9507  0.8 %
 *   the smallest textures      95,416  0.9421  0.6 %   23,868
 *   50 kB, positions 14 bits   95,388  0.9438  1.3 %   63,500
 *   50 kB, positions 11 bits   99,428  0.9496  1.0 %   61,064
 *   50 kB, seams may open      94,044  0.9485  1.0 %
 *   25 kB, positions 11 bits   90,956  0.9506  0.7 %
 *
 * If the geometry fits into half of the bytes without a visible loss, as that of WaterBottle does,
 * textures get the other half. Otherwise more triangles improve the SSIM more than larger textures.
 * With 25 kB of textures, positions with fewer bits do not improve it.
 */
import type { Document } from '@gltf-transform/core';
import { cloneDocument } from '@gltf-transform/functions';
import { MeshoptSimplifier } from 'meshoptimizer';
import { limitTriangles } from '../limit-triangles.ts';
import { countSceneTriangles, findDefaultScene } from '../model-counts.ts';
import { reorderMeshes } from '../order/reorder-meshes.ts';
import { quantize } from '../quantize/quantize.ts';
import { computeSceneExtent } from '../scene-bounds.ts';
import { simplifyPrimitive } from '../simplify-primitive.ts';
import { computeMaxWorldScale } from '../world-scale.ts';
import { writeGlb } from '../write/write-glb.ts';
import { fitTextures } from './fit-textures.ts';

/** Size limit of the whole preview. */
const MAX_PREVIEW_BYTES = 100_000;
/** Size limits of all textures; the reduced one applies if the geometry needs more than the rest. */
const [MAX_TEXTURE_BYTES, REDUCED_TEXTURE_BYTES] = [50_000, 25_000];
/** Relative to the longest side of the scene: half a pixel if the scene fills 1440 pixels. */
const INVISIBLE_ERROR = 3.5e-4;
/** Above this size, relative to the limit, triangles are not removed in an additional step. */
const MAX_RATIO_OF_INVISIBLE = 10;
/** How often the triangles are reduced until the preview fits. */
const MAX_ATTEMPTS = 5;
/** Parts of the limit that the next attempt aims at, after the size is known and before. */
const [AIM_WHEN_KNOWN, AIM_WHEN_ESTIMATED] = [0.96, 0.7];

/** Generates the preview from a static copy, which it modifies; undefined if no preview fits. */
export async function generatePreview(staticCopy: Document): Promise<Uint8Array | undefined> {
  await MeshoptSimplifier.ready;
  const sceneExtent = computeSceneExtent(staticCopy);
  // A large model does not become small without a visible difference: the model itself is simplified.
  if (estimateGeometryBytes(staticCopy) <= MAX_RATIO_OF_INVISIBLE * MAX_PREVIEW_BYTES)
    simplifyInvisibly(staticCopy, INVISIBLE_ERROR * sceneExtent);
  const isGeometrySmall =
    estimateGeometryBytes(staticCopy) <= MAX_PREVIEW_BYTES - MAX_TEXTURE_BYTES;
  const textureBytes = await fitTextures(
    staticCopy,
    isGeometrySmall ? MAX_TEXTURE_BYTES : REDUCED_TEXTURE_BYTES,
  );
  const maxGeometryBytes = MAX_PREVIEW_BYTES - textureBytes;
  // KTX2 textures keep their size.
  if (maxGeometryBytes <= 0) return undefined;
  let targetBytes = maxGeometryBytes;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const triangles = countTriangles(staticCopy);
    const share = targetBytes / estimateGeometryBytes(staticCopy);
    if (share < 1) await limitTriangles(staticCopy, Math.floor(share * triangles));
    if (attempt > 0 && countTriangles(staticCopy) === triangles) return undefined;
    const estimatedBytes = estimateGeometryBytes(staticCopy);
    // Writing is slow, and the result would be too large.
    if (estimatedBytes > maxGeometryBytes) {
      targetBytes = AIM_WHEN_ESTIMATED * maxGeometryBytes;
      continue;
    }
    const glb = await writePreview(staticCopy);
    if (glb.length <= MAX_PREVIEW_BYTES) return glb;
    const ratio = maxGeometryBytes / (glb.length - textureBytes);
    targetBytes = AIM_WHEN_KNOWN * ratio * estimatedBytes;
  }
  return undefined;
}

function simplifyInvisibly(document: Document, error: number): void {
  for (const mesh of document.getRoot().listMeshes()) {
    const options = { error: error / computeMaxWorldScale(mesh), flags: ['Prune'] as const };
    for (const primitive of mesh.listPrimitives()) simplifyPrimitive(primitive, options);
  }
}

function countTriangles(document: Document): number {
  return countSceneTriangles(findDefaultScene(document));
}

/** A lower bound of the size of compressed geometry: 4 bytes per vertex, 0.3 per index. */
export function estimateGeometryBytes(document: Document): number {
  const meshes = document.getRoot().listMeshes();
  let bytes = 0;
  for (const primitive of meshes.flatMap((mesh) => mesh.listPrimitives())) {
    bytes += (primitive.getAttribute('POSITION')?.getCount() ?? 0) * 4;
    bytes += (primitive.getIndices()?.getCount() ?? 0) * 0.3;
  }
  return bytes;
}

async function writePreview(document: Document): Promise<Uint8Array> {
  const copy = cloneDocument(document);
  copy.setLogger(document.getLogger());
  await reorderMeshes(copy);
  await quantize(copy, { scene: 12, mesh: 9 });
  return writeGlb(copy);
}
