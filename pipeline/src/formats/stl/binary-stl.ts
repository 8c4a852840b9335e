/**
 * The layout of a binary STL: a header of 80 bytes, the number of facets as a 32-bit integer, then
 * the facets. A facet is 12 floats (the normal, then three vertices) and an attribute of 16 bits.
 * All numbers are little-endian.
 */
export const STL_HEADER_BYTES = 84;
export const STL_FACET_BYTES = 50;
/** Offsets within a facet. */
export const STL_VERTICES_OFFSET = 12;
export const STL_ATTRIBUTE_OFFSET = 48;

const TEXT_BYTES = 80;
/** If the number is larger, these bytes are more likely text or part of an image. */
const MAX_PLAUSIBLE_FACETS = 100_000_000;
const COLOR_KEYWORD = 'COLOR=';

/** Reads the number of facets from the header of a binary STL. */
export function readFacetCount(head: Buffer): number {
  return head.readUInt32LE(TEXT_BYTES);
}

/**
 * Whether a file is a binary STL: its size must follow from its number of facets.
 *
 * The text of the header is ignored, because it may start with `solid` like an ASCII STL.
 *
 * @param head the first bytes of the file
 */
export function isBinaryStl(head: Buffer, sizeBytes: number): boolean {
  if (head.length < STL_HEADER_BYTES) return false;
  return STL_HEADER_BYTES + STL_FACET_BYTES * readFacetCount(head) === sizeBytes;
}

/** Whether this may be the header of a binary STL whose size is wrong: it may be cut off. */
export function isPlausibleBinaryStl(head: Buffer): boolean {
  if (head.length < STL_HEADER_BYTES) return false;
  const count = readFacetCount(head);
  return (
    count > 0 &&
    count <= MAX_PLAUSIBLE_FACETS &&
    /^[\x20-\x7e\s]*\0*$/.test(head.toString('latin1', 0, TEXT_BYTES))
  );
}

/**
 * Finds the default color in the header, as sRGB bytes: red, green, blue, alpha.
 *
 * Its presence also means that the attributes of the facets are colors (Materialise Magics).
 */
export function findDefaultColor(head: Buffer): Uint8Array | undefined {
  const keyword = head.toString('latin1', 0, TEXT_BYTES).indexOf(COLOR_KEYWORD);
  const start = keyword + COLOR_KEYWORD.length;
  return keyword < 0 || start + 4 > TEXT_BYTES ? undefined : head.subarray(start, start + 4);
}
