import { assertWithinLimit, formatNumber } from '../../validation/budgets.ts';
import type { ByteReader } from '../../validation/byte-reader.ts';
import {
  type FileHead,
  type SniffEvidence,
  withoutByteOrderMark,
} from '../../validation/file-head.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';
import {
  isBinaryStl,
  isPlausibleBinaryStl,
  readFacetCount,
  STL_FACET_BYTES,
  STL_HEADER_BYTES,
  STL_VERTICES_OFFSET,
} from './binary-stl.ts';
import { validateAsciiStl } from './validate-ascii.ts';

const FLOATS_PER_FACET = 9;
/** Facets per read; together they are at most one block. */
const FACETS_PER_READ = 20_000;
/** The exponent bits of a 32-bit float. In NaN and infinity all of them are set. */
const EXPONENT_MASK = 0x7f800000;

/** Recognizes an STL, binary or ASCII. The header of a binary one often starts with "solid". */
export function sniffStl({ bytes, text, sizeBytes }: FileHead): SniffEvidence | undefined {
  if (isBinaryStl(bytes, sizeBytes)) return 'size';
  if (/^\s*solid\b/i.test(text)) return 'keyword';
  return isPlausibleBinaryStl(bytes) ? 'plausible' : undefined;
}

/**
 * Validates an STL, binary or ASCII.
 *
 * @param head the first bytes of the file
 * @throws {Problem} design.unreadable, design.too-complex
 */
export async function validateStl(
  file: ByteReader,
  limits: ValidationLimits,
  head: Buffer,
): Promise<void> {
  if (!isBinaryStl(head, file.size) && isAsciiStl(head)) await validateAsciiStl(file, limits);
  // Also refuses files that are neither, because their size does not match their number of facets.
  else await validateBinaryStl(file, limits);
}

/** Whether there is a facet after `solid`. Binary files may begin with `solid`, too. */
function isAsciiStl(head: Buffer): boolean {
  const text = withoutByteOrderMark(head.toString('latin1'));
  return /^\s*solid/i.test(text) && /facet|endsolid/i.test(text);
}

async function validateBinaryStl(file: ByteReader, limits: ValidationLimits): Promise<void> {
  if (file.size < STL_HEADER_BYTES) {
    throwUnreadable('truncated', 'The STL ends before its first triangle');
  }
  const count = readFacetCount(await file.read(0, STL_HEADER_BYTES));
  const capacity = (file.size - STL_HEADER_BYTES) / STL_FACET_BYTES;
  if (count !== capacity) {
    const declaration = `The header of the STL declares ${formatNumber(count)} triangles`;
    throwUnreadable(
      'count',
      `${declaration}, but the size of the file is that of ${formatNumber(Math.floor(capacity))}`,
    );
  }
  if (count === 0) throwUnreadable('empty', 'The STL has no triangles');
  assertWithinLimit('triangles', count, limits);

  for (let first = 0; first < count; first += FACETS_PER_READ) {
    const facets = Math.min(FACETS_PER_READ, count - first);
    const bytes = await file.read(
      STL_HEADER_BYTES + first * STL_FACET_BYTES,
      facets * STL_FACET_BYTES,
    );
    const index = findNonFiniteFacet(bytes);
    if (index !== undefined) {
      throwUnreadable(
        'not-finite',
        `Triangle ${first + index} of the STL has a coordinate that is not a finite number`,
      );
    }
  }
}

function findNonFiniteFacet(bytes: Buffer): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let offset = 0; offset < bytes.length; offset += STL_FACET_BYTES) {
    for (let float = 0; float < FLOATS_PER_FACET; float++) {
      const bits = view.getUint32(offset + STL_VERTICES_OFFSET + 4 * float, true);
      if ((bits & EXPONENT_MASK) === EXPONENT_MASK) return offset / STL_FACET_BYTES;
    }
  }
  return undefined;
}
