import type { GLTF } from '@gltf-transform/core';

const GLB_MAGIC = 0x46546c67;
const [JSON_CHUNK, BIN_CHUNK] = [0x4e4f534a, 0x004e4942];

/** Encodes a GLB from its JSON and the pieces of its binary chunk, whose total length is a multiple of four. */
export function encodeGlbContainer(json: GLTF.IGLTF, pieces: readonly Uint8Array[]): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(json));
  const textLength = (text.length + 3) & ~3;
  const binLength = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const length = 12 + 8 + textLength + (binLength > 0 ? 8 + binLength : 0);
  const glb = new Uint8Array(length);
  const view = new DataView(glb.buffer);
  view.setUint32(0, GLB_MAGIC, true);
  view.setUint32(4, 2, true);
  view.setUint32(8, length, true);
  view.setUint32(12, textLength, true);
  view.setUint32(16, JSON_CHUNK, true);
  glb.fill(0x20, 20, 20 + textLength).set(text, 20);
  if (binLength === 0) return glb;
  view.setUint32(20 + textLength, binLength, true);
  view.setUint32(24 + textLength, BIN_CHUNK, true);
  let offset = 28 + textLength;
  for (const piece of pieces) {
    glb.set(piece, offset);
    offset += piece.length;
  }
  return glb;
}
