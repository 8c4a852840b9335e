/**
 * A likeness of the model in at most 100 kB, to be shown until the model is there.
 *
 * Notes (November 2026). SSIM of the preview to the original (least of three sides), and how far its
 * surface is off, of the longest side of the scene:
 *
 *   at most                    FlightHelmet            WaterBottle
 *   textures of 50 kB          96,516  0.9466  1.1 %   61,788  0.9949  0.04 %   chosen where there is room
 *   textures of 25 kB          93,288  0.9507  0.7 %   36,420  0.9935  0.04 %   chosen elsewhere
 *   textures of 35 kB          99,392  0.9507  0.8 %
 *   the worst textures         95,416  0.9421  0.6 %   23,868
 *   50 kB, positions 14 bits   95,388  0.9438  1.3 %   63,500
 *   50 kB, positions 11 bits   99,428  0.9496  1.0 %   61,064
 *   50 kB, seams may open      94,044  0.9485  1.0 %
 *   25 kB, positions 11 bits   90,956  0.9506  0.7 %
 *
 * Where geometry fits into its half without a loss that is seen, as WaterBottle's does, textures get
 * the other half. Else triangles are worth more than pixels. With 25 kB coarser positions gain nothing.
 */
import type { Document } from '@gltf-transform/core';
import { cloneDocument } from '@gltf-transform/functions';
import { MeshoptSimplifier } from 'meshoptimizer';
import { quantize } from '../quantize/quantize.ts';
import { computeSceneExtent } from '../scene-bounds.ts';
import { computeMaxWorldScale, reorderMeshes } from '../simplify-meshes.ts';
import { simplifyPrimitive } from '../simplify-primitive.ts';
import { compressTextures } from '../textures/compress-textures.ts';
import { writeGlb } from '../write/write-glb.ts';

/** What a preview may cost, all in. */
const MAX_PREVIEW_BYTES = 100_000;
/** Of which textures may take this much; the less where geometry has to lose what is seen. */
const [MAX_TEXTURE_BYTES, REDUCED_TEXTURE_BYTES] = [50_000, 25_000];
/** Sides and qualities of textures, the best first. */
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
/** Of the longest side of the scene: half a pixel at 1440, and how fast it grows. */
const [INITIAL_ERROR, ERROR_GROWTH, MAX_ERROR] = [3.5e-4, 1.5, 0.2];
/** How fast it grows when the next step may be the last. */
const FINE_ERROR_GROWTH = 1.15;
/** Past this seams may open and parts vanish: there are more of them than a preview has room for. */
const PERMISSIVE_ERROR = 0.02;

/** Makes a preview of a still model; undefined if nothing alike fits. Changes the document. */
export async function generatePreview(still: Document): Promise<Uint8Array | undefined> {
  await MeshoptSimplifier.ready;
  const world = computeSceneExtent(still);
  simplifyDocument(still, INITIAL_ERROR * world, false);
  const roomy = estimateGeometryBytes(still) <= MAX_PREVIEW_BYTES - MAX_TEXTURE_BYTES;
  const rest =
    MAX_PREVIEW_BYTES -
    (await fitTextures(still, roomy ? MAX_TEXTURE_BYTES : REDUCED_TEXTURE_BYTES));
  for (let error = INITIAL_ERROR; error <= MAX_ERROR; ) {
    simplifyDocument(still, error * world, error > PERMISSIVE_ERROR);
    const bytes = estimateGeometryBytes(still);
    // Writing takes long; most rounds are clearly too large.
    if (bytes <= rest) {
      const glb = await writePreview(still);
      if (glb.length <= MAX_PREVIEW_BYTES) return glb;
    }
    error *= bytes > 3 * rest ? ERROR_GROWTH : FINE_ERROR_GROWTH;
  }
  return undefined;
}

function simplifyDocument(still: Document, error: number, desperate: boolean): void {
  for (const mesh of still.getRoot().listMeshes()) {
    const options = {
      error: error / computeMaxWorldScale(mesh),
      flags: desperate ? (['Prune', 'Permissive'] as const) : (['Prune'] as const),
    };
    for (const primitive of mesh.listPrimitives()) simplifyPrimitive(primitive, options);
  }
}

/** Takes the best textures of at most so many bytes, or the worst; answers their bytes. */
async function fitTextures(still: Document, most: number): Promise<number> {
  const textures = still.getRoot().listTextures();
  const originals = textures.map((it) => ({ image: it.getImage(), mimeType: it.getMimeType() }));
  let bytes = 0;
  for (const options of TEXTURE_LEVELS) {
    for (const [at, { image, mimeType }] of originals.entries()) {
      if (image) textures[at]?.setImage(image).setMimeType(mimeType);
    }
    await compressTextures(still, options);
    bytes = textures.reduce((sum, it) => sum + (it.getImage()?.length ?? 0), 0);
    if (bytes <= most) break;
  }
  return bytes;
}

/** What geometry takes at the very least, compressed: 4 bytes for a vertex, 0.3 for an index. */
function estimateGeometryBytes(still: Document): number {
  let bytes = 0;
  for (const primitive of still
    .getRoot()
    .listMeshes()
    .flatMap((it) => it.listPrimitives())) {
    bytes += (primitive.getAttribute('POSITION')?.getCount() ?? 0) * 4;
    bytes += (primitive.getIndices()?.getCount() ?? 0) * 0.3;
  }
  return bytes;
}

async function writePreview(still: Document): Promise<Uint8Array> {
  const copy = cloneDocument(still);
  copy.setLogger(still.getLogger());
  await reorderMeshes(copy);
  await quantize(copy, { scene: 12, mesh: 9 });
  return writeGlb(copy);
}
