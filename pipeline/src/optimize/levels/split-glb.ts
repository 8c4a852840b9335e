import type { GLTF } from '@gltf-transform/core';

/** The JSON of a GLB, and its binary chunk. */
export type SplitGlb = { json: GLTF.IGLTF; bin: Uint8Array };

/** Splits a GLB that the pipeline wrote into its two chunks. */
export function splitGlb(glb: Uint8Array): SplitGlb {
  const view = new DataView(glb.buffer, glb.byteOffset, glb.byteLength);
  const jsonLength = view.getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(glb.subarray(20, 20 + jsonLength)));
  return { json, bin: glb.subarray(28 + jsonLength) };
}
