import { assertExpansionRatio } from '../../../validation/budgets.ts';
import type { JsonNode } from '../../../validation/json-node.ts';
import type { ValidationLimits } from '../../../validation/limits.ts';
import type { ByteRegion } from './block-reader.ts';

type MeshoptMode = 'ATTRIBUTES' | 'TRIANGLES' | 'INDICES';

/** The first byte of each kind of stream. Its low four bits are the version. */
const MODE_HEADERS: Readonly<Record<string, number>> = {
  ATTRIBUTES: 0xa0,
  TRIANGLES: 0xe0,
  INDICES: 0xd0,
};

/** The strides that each filter supports. */
const FILTER_STRIDES: Readonly<Record<string, readonly number[]>> = {
  OCTAHEDRAL: [4, 8],
  QUATERNION: [8],
  COLOR: [4, 8],
};

/**
 * Checks the properties of a meshopt-compressed buffer view and returns its decoded bytes.
 *
 * The codec stores a minimum number of bytes for each count, so a count that is far too large is found
 * without decoding.
 */
export function validateMeshopt(
  json: JsonNode,
  {
    viewBytes,
    region,
    limits,
  }: { viewBytes: number; region: ByteRegion; limits: ValidationLimits },
): number {
  const mode = json.get('mode').oneOf<MeshoptMode>('ATTRIBUTES', 'TRIANGLES', 'INDICES');
  const count = json.get('count').integer(1);
  const stride = json.get('byteStride').integer(1, 256);
  validateStride(json, mode, stride, count);

  if (count * stride < viewBytes) {
    json.fail('meshopt-count', `decodes to ${count * stride} bytes, fewer than its view has`);
  }
  assertExpansionRatio(count * stride, region.length, limits, json);
  if (region.length < getMinimumBytes(mode, count, stride)) {
    json.fail('meshopt-count', `is too short for ${count} elements of ${stride} bytes`);
  }
  return count * stride;
}

function validateStride(json: JsonNode, mode: MeshoptMode, stride: number, count: number): void {
  const filter = json.find('filter');
  const name = filter?.oneOf('NONE', 'OCTAHEDRAL', 'QUATERNION', 'EXPONENTIAL', 'COLOR') ?? 'NONE';
  if (mode === 'ATTRIBUTES') {
    const allowed = FILTER_STRIDES[name];
    if (stride % 4 !== 0 || (allowed !== undefined && !allowed.includes(stride))) {
      json.fail(
        'meshopt-stride',
        `has a byteStride of ${stride}, which its mode and filter do not support`,
      );
    }
    return;
  }
  if (name !== 'NONE')
    json.fail('meshopt-filter', `has the filter ${name}, which indices cannot have`);
  if (stride !== 2 && stride !== 4) json.fail('meshopt-stride', `has indices of ${stride} bytes`);
  if (mode === 'TRIANGLES' && count % 3 !== 0) {
    json.fail('meshopt-count', `has ${count} indices, which is not a multiple of three`);
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

/** Checks the first byte of the stream, which contains its mode and version. */
export function validateMeshoptHeader(json: JsonNode, [header = 0]: Buffer): void {
  const mode = json.get('mode').string();
  if ((header & 0xf0) !== MODE_HEADERS[mode] || (header & 0x0f) > 1) {
    json.fail('meshopt-header', `is not a meshopt stream of mode ${mode}`);
  }
}
