import { assertExpansionRatio } from '../../../validation/budgets.ts';
import type { JsonNode } from '../../../validation/json-node.ts';
import type { ValidationLimits } from '../../../validation/limits.ts';
import type { ByteRegion } from './block-reader.ts';

type MeshoptMode = 'ATTRIBUTES' | 'TRIANGLES' | 'INDICES';

/** The first byte of each kind of stream, its low four bits being the version. */
const MODE_HEADERS: Readonly<Record<string, number>> = {
  ATTRIBUTES: 0xa0,
  TRIANGLES: 0xe0,
  INDICES: 0xd0,
};

/** The strides each filter works on. */
const FILTER_STRIDES: Readonly<Record<string, readonly number[]>> = {
  OCTAHEDRAL: [4, 8],
  QUATERNION: [8],
  COLOR: [4, 8],
};

/**
 * Checks what a meshopt-compressed buffer view says of itself; gives the bytes it decodes to.
 *
 * The codec has floors: what is stored can never be shorter than they say, so a count that is out of
 * all proportion shows without decoding anything.
 */
export function validateMeshopt(
  part: JsonNode,
  {
    viewBytes,
    region,
    limits,
  }: { viewBytes: number; region: ByteRegion; limits: ValidationLimits },
): number {
  const mode = part.get('mode').oneOf<MeshoptMode>('ATTRIBUTES', 'TRIANGLES', 'INDICES');
  const count = part.get('count').integer(1);
  const stride = part.get('byteStride').integer(1, 256);
  validateStride(part, mode, stride, count);

  if (count * stride < viewBytes) {
    part.fail('meshopt-count', `decodes to ${count * stride} bytes, fewer than its view has`);
  }
  assertExpansionRatio(count * stride, region.length, limits, part);
  if (region.length < getMinimumBytes(mode, count, stride)) {
    part.fail('meshopt-count', `is too short to hold ${count} elements of ${stride} bytes`);
  }
  return count * stride;
}

function validateStride(part: JsonNode, mode: MeshoptMode, stride: number, count: number): void {
  const filter = part.find('filter');
  const name = filter?.oneOf('NONE', 'OCTAHEDRAL', 'QUATERNION', 'EXPONENTIAL', 'COLOR') ?? 'NONE';
  if (mode === 'ATTRIBUTES') {
    const allowed = FILTER_STRIDES[name];
    if (stride % 4 !== 0 || (allowed !== undefined && !allowed.includes(stride))) {
      part.fail(
        'meshopt-stride',
        `has a byteStride of ${stride}, not one its mode and filter work with`,
      );
    }
    return;
  }
  if (name !== 'NONE') part.fail('meshopt-filter', `has the filter ${name} on indices`);
  if (stride !== 2 && stride !== 4) part.fail('meshopt-stride', `has indices of ${stride} bytes`);
  if (mode === 'TRIANGLES' && count % 3 !== 0) {
    part.fail('meshopt-count', `has ${count} indices, which are no whole triangles`);
  }
}

function getMinimumBytes(mode: MeshoptMode, count: number, stride: number): number {
  // Header; one code byte for each triangle; a tail of 16.
  if (mode === 'TRIANGLES') return 1 + count / 3 + 16;
  // Header; at least one byte for each index; a tail of 4.
  if (mode === 'INDICES') return 1 + count + 4;
  // Header; two control bits for each byte of a block (version 1); a tail of at least 24.
  const blockElements = Math.min(Math.floor(8192 / stride / 16) * 16, 256);
  return 1 + Math.ceil(count / blockElements) * (stride / 4) + Math.max(24, stride);
}

/** Checks the first byte of the stream, which says what it is. */
export function validateMeshoptHeader(part: JsonNode, [header = 0]: Buffer): void {
  const mode = part.get('mode').string();
  if ((header & 0xf0) !== MODE_HEADERS[mode] || (header & 0x0f) > 1) {
    part.fail('meshopt-header', `is no meshopt stream of mode ${mode}`);
  }
}
