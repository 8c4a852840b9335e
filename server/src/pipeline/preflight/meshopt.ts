import { type Limits, limitExpansion } from './limits.ts';
import type { Part } from './part.ts';
import type { Region } from './reader.ts';

type Mode = 'ATTRIBUTES' | 'TRIANGLES' | 'INDICES';

/** The first byte of each kind of stream, its low four bits being the version. */
const HEADERS: Readonly<Record<string, number>> = {
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
export function checkMeshopt(
  part: Part,
  { viewBytes, region, limits }: { viewBytes: number; region: Region; limits: Limits },
): number {
  const mode = part.get('mode').choice<Mode>('ATTRIBUTES', 'TRIANGLES', 'INDICES');
  const count = part.get('count').integer(1);
  const stride = part.get('byteStride').integer(1, 256);
  checkStride(part, mode, stride, count);

  if (count * stride < viewBytes) {
    part.fail('meshopt-count', `decodes to ${count * stride} bytes, fewer than its view has`);
  }
  limitExpansion(count * stride, region.length, limits, part);
  if (region.length < leastBytes(mode, count, stride)) {
    part.fail('meshopt-count', `is too short to hold ${count} elements of ${stride} bytes`);
  }
  return count * stride;
}

function checkStride(part: Part, mode: Mode, stride: number, count: number): void {
  const filter = part.find('filter');
  const name = filter?.choice('NONE', 'OCTAHEDRAL', 'QUATERNION', 'EXPONENTIAL', 'COLOR') ?? 'NONE';
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

function leastBytes(mode: Mode, count: number, stride: number): number {
  // Header; one code byte for each triangle; a tail of 16.
  if (mode === 'TRIANGLES') return 1 + count / 3 + 16;
  // Header; at least one byte for each index; a tail of 4.
  if (mode === 'INDICES') return 1 + count + 4;
  // Header; two control bits for each byte of a block (version 1); a tail of at least 24.
  const blockElements = Math.min(Math.floor(8192 / stride / 16) * 16, 256);
  return 1 + Math.ceil(count / blockElements) * (stride / 4) + Math.max(24, stride);
}

/** Checks the first byte of the stream, which says what it is. */
export function checkMeshoptHeader(part: Part, [header = 0]: Buffer): void {
  const mode = part.get('mode').text();
  if ((header & 0xf0) !== HEADERS[mode] || (header & 0x0f) > 1) {
    part.fail('meshopt-header', `is no meshopt stream of mode ${mode}`);
  }
}
