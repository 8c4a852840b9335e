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
import { quantize } from '../quantize/quantize.ts';
import { computeSceneExtent } from '../scene-bounds.ts';
import { reorderMeshes } from '../simplify-meshes.ts';
import { simplifyPrimitive } from '../simplify-primitive.ts';
import { compressTextures } from '../textures/compress-textures.ts';
import { computeMaxWorldScale } from '../world-scale.ts';
import { writeGlb } from '../write/write-glb.ts';

/** Size limit of the whole preview. */
const MAX_PREVIEW_BYTES = 100_000;
/** Size limits of all textures; the reduced one applies if the geometry needs more than the rest. */
const [MAX_TEXTURE_BYTES, REDUCED_TEXTURE_BYTES] = [50_000, 25_000];
/** Sizes and qualities of textures, in descending order. */
const TEXTURE_LEVELS = [
  { maxSize: 1024, quality: 70 },
  { maxSize: 512, quality: 70 },
  { maxSize: 256, quality: 70 },
  { maxSize: 256, quality: 50 },
  { maxSize: 128, quality: 70 },
  { maxSize: 128, quality: 45 },
  { maxSize: 64, quality: 50 },
  { maxSize: 32, quality: 40 },
  { maxSize: 8, quality: 40 },
];
/**
 * Error of the surface, relative to the longest side of the scene. It starts at half a pixel if the
 * scene fills 1440 pixels, and is multiplied by `ERROR_GROWTH` in each round.
 */
const [INITIAL_ERROR, ERROR_GROWTH, MAX_ERROR] = [3.5e-4, 1.5, 0.2];
/** Multiplier when the next round may be the last. */
const FINE_ERROR_GROWTH = 1.15;
/** Above this error, seams may open and small parts may be removed, so that the preview fits. */
const PERMISSIVE_ERROR = 0.02;

/** Generates the preview from a static copy, which it modifies; undefined if no preview fits. */
export async function generatePreview(staticCopy: Document): Promise<Uint8Array | undefined> {
  await MeshoptSimplifier.ready;
  const sceneExtent = computeSceneExtent(staticCopy);
  simplifyDocument(staticCopy, INITIAL_ERROR * sceneExtent);
  const isGeometrySmall =
    estimateGeometryBytes(staticCopy) <= MAX_PREVIEW_BYTES - MAX_TEXTURE_BYTES;
  const textureBytes = await fitTextures(
    staticCopy,
    isGeometrySmall ? MAX_TEXTURE_BYTES : REDUCED_TEXTURE_BYTES,
  );
  const maxGeometryBytes = MAX_PREVIEW_BYTES - textureBytes;
  let writtenGeometryBytes = Infinity;
  for (let error = INITIAL_ERROR; error <= MAX_ERROR; ) {
    simplifyDocument(staticCopy, error * sceneExtent, { isPermissive: error > PERMISSIVE_ERROR });
    const geometryBytes = estimateGeometryBytes(staticCopy);
    // Writing is slow, and the result of most rounds is clearly too large, or the same as before.
    if (geometryBytes <= maxGeometryBytes && geometryBytes < writtenGeometryBytes) {
      writtenGeometryBytes = geometryBytes;
      const glb = await writePreview(staticCopy);
      if (glb.length <= MAX_PREVIEW_BYTES) return glb;
    }
    error *= geometryBytes > 3 * maxGeometryBytes ? ERROR_GROWTH : FINE_ERROR_GROWTH;
  }
  return undefined;
}

function simplifyDocument(
  document: Document,
  error: number,
  { isPermissive = false }: { isPermissive?: boolean } = {},
): void {
  for (const mesh of document.getRoot().listMeshes()) {
    const options = {
      error: error / computeMaxWorldScale(mesh),
      flags: isPermissive ? (['Prune', 'Permissive'] as const) : (['Prune'] as const),
    };
    for (const primitive of mesh.listPrimitives()) simplifyPrimitive(primitive, options);
  }
}

/** Compresses textures to the first level within `maxBytes`, or the last level; returns their size. */
async function fitTextures(document: Document, maxBytes: number): Promise<number> {
  const textures = document.getRoot().listTextures();
  const originals = textures.map((texture) => ({
    image: texture.getImage(),
    mimeType: texture.getMimeType(),
  }));
  let bytes = 0;
  for (const options of TEXTURE_LEVELS) {
    for (const [index, { image, mimeType }] of originals.entries()) {
      if (image) textures[index]?.setImage(image).setMimeType(mimeType);
    }
    await compressTextures(document, options);
    bytes = textures.reduce((sum, texture) => sum + (texture.getImage()?.length ?? 0), 0);
    if (bytes <= maxBytes) break;
  }
  return bytes;
}

/** A lower bound of the size of compressed geometry: 4 bytes per vertex, 0.3 per index. */
function estimateGeometryBytes(document: Document): number {
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
