import type { JsonNode } from '../../../validation/json-node.ts';

const HAS_METADATA = 0x8000;
const TRIANGULAR_MESH = 1;

/** Enough bytes of a Draco stream to read its counts. */
export const DRACO_HEADER_BYTES = 64;

/**
 * Checks the head of a Draco stream, whose own counts are what a decoder allocates for.
 *
 * @param mostTriangles what the primitive's accessors have room for
 */
export function validateDracoHeader(part: JsonNode, bytes: Buffer, mostTriangles: number): void {
  if (bytes.toString('latin1', 0, 5) !== 'DRACO' || bytes.length < 24) {
    part.fail('draco', 'is no Draco stream');
  }
  const version = bytes.readUInt8(5) * 256 + bytes.readUInt8(6);
  // Later readers read 2.2; earlier streams lay out their counts otherwise, and glTF has none.
  if (version !== 0x0202) part.fail('draco', 'is not of version 2.2 of Draco');
  if (bytes.readUInt8(7) !== TRIANGULAR_MESH) part.fail('draco', 'is not a mesh');
  const isEdgebreaker = bytes.readUInt8(8) === 1;
  // Metadata come before the counts and are of any length; no glTF writer makes them.
  if (bytes.readUInt16LE(9) & HAS_METADATA) part.fail('draco', 'carries metadata');

  // Sequential: faces, points. Edgebreaker: a traversal byte, then vertices, faces.
  const first = readVarint(bytes, isEdgebreaker ? 12 : 11);
  const second = readVarint(bytes, first.end);
  const [triangles, vertices] = isEdgebreaker
    ? [second.value, first.value]
    : [first.value, second.value];
  if (triangles > mostTriangles || vertices > 3 * mostTriangles) {
    part.fail(
      'draco',
      `says it has ${triangles} triangles and ${vertices} vertices, more than its accessors`,
    );
  }
}

/** Seven bits a byte, low ones first. */
function readVarint(bytes: Buffer, start: number): { value: number; end: number } {
  let value = 0;
  for (let at = start; at < start + 5; at++) {
    const byte = bytes[at] ?? 0;
    value += (byte & 0x7f) * 2 ** (7 * (at - start));
    if (byte < 0x80) return { value, end: at + 1 };
  }
  return { value: Number.POSITIVE_INFINITY, end: start + 5 };
}
