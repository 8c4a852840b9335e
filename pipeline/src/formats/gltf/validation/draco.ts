import type { JsonNode } from '../../../validation/json-node.ts';

const HAS_METADATA = 0x8000;
const TRIANGULAR_MESH = 1;

/** Bytes of a Draco stream that contain its counts. */
export const DRACO_HEADER_BYTES = 64;

/**
 * Checks the header of a Draco stream: decoders allocate memory by its counts.
 *
 * @param maxTriangles the number of triangles that the accessors of the primitive declare
 */
export function validateDracoHeader(json: JsonNode, bytes: Buffer, maxTriangles: number): void {
  if (bytes.toString('latin1', 0, 5) !== 'DRACO' || bytes.length < 24) {
    json.fail('draco', 'is not a Draco stream');
  }
  const version = bytes.readUInt8(5) * 256 + bytes.readUInt8(6);
  // Earlier streams have another layout, and glTF does not use them. There is no later version.
  if (version !== 0x0202) json.fail('draco', 'is not a stream of Draco version 2.2');
  if (bytes.readUInt8(7) !== TRIANGULAR_MESH) json.fail('draco', 'is not a mesh');
  const isEdgebreaker = bytes.readUInt8(8) === 1;
  // Metadata precedes the counts and has any length. glTF exporters do not write it.
  if (bytes.readUInt16LE(9) & HAS_METADATA)
    json.fail('draco', 'has Draco metadata, which is not allowed');

  // Sequential: faces, points. Edgebreaker: a traversal byte, then vertices, faces.
  const first = readVarint(bytes, isEdgebreaker ? 12 : 11);
  const second = readVarint(bytes, first.end);
  const [triangles, vertices] = isEdgebreaker
    ? [second.value, first.value]
    : [first.value, second.value];
  if (triangles > maxTriangles || vertices > 3 * maxTriangles) {
    json.fail(
      'draco',
      `declares ${triangles} triangles and ${vertices} vertices, more than its accessors`,
    );
  }
}

/** Reads a number in LEB128: seven bits in each byte, low bits first. */
function readVarint(bytes: Buffer, start: number): { value: number; end: number } {
  let value = 0;
  for (let offset = start; offset < start + 5; offset++) {
    const byte = bytes[offset] ?? 0;
    value += (byte & 0x7f) * 2 ** (7 * (offset - start));
    if (byte < 0x80) return { value, end: offset + 1 };
  }
  return { value: Number.POSITIVE_INFINITY, end: start + 5 };
}
