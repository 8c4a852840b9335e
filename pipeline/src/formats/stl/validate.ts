import {
  assertWithinLimit,
  formatNumber,
  type ValidationLimits,
} from '../../validation/budgets.ts';
import { type ByteReader, readBlocks } from '../../validation/byte-reader.ts';
import { type ByteBlocks, hasNonFiniteNumber, visitLines } from '../../validation/lines.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';

const STL_HEADER_BYTES = 84;
const STL_FACET_BYTES = 50;
/** Behind the normal, three corners of three floats. */
const VERTICES_OFFSET = 12;
const FLOATS_PER_FACET = 9;
/** Whole facets in a read of at most a block. */
const FACETS_PER_READ = 20_000;
/** An exponent of all ones: a NaN or an infinity. */
const EXPONENT_MASK = 0x7f800000;

/** Checks a binary STL: as many triangles as it says, every corner at some place. */
export async function validateBinaryStl(file: ByteReader, limits: ValidationLimits): Promise<void> {
  const count = (await file.read(80, 4)).readUInt32LE();
  const room = (file.size - STL_HEADER_BYTES) / STL_FACET_BYTES;
  if (count !== room) {
    const has = `but the file has room for ${formatNumber(Math.floor(room))}`;
    throwUnreadable('count', `The STL says it has ${formatNumber(count)} triangles, ${has}`);
  }
  if (count === 0) throwUnreadable('empty', 'The STL has no triangles');
  assertWithinLimit('triangles', count, limits);

  for (let at = 0; at < count; at += FACETS_PER_READ) {
    const facets = Math.min(FACETS_PER_READ, count - at);
    const bytes = await file.read(
      STL_HEADER_BYTES + at * STL_FACET_BYTES,
      facets * STL_FACET_BYTES,
    );
    const wild = findNonFiniteFacet(bytes);
    if (wild !== undefined)
      throwUnreadable('not-finite', `Triangle ${at + wild} of the STL is at no place`);
  }
}

function findNonFiniteFacet(bytes: Buffer): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let facet = 0; facet < bytes.length; facet += STL_FACET_BYTES) {
    for (let at = 0; at < FLOATS_PER_FACET; at++) {
      const bits = view.getUint32(facet + VERTICES_OFFSET + 4 * at, true);
      if ((bits & EXPONENT_MASK) === EXPONENT_MASK) return facet / STL_FACET_BYTES;
    }
  }
  return undefined;
}

/** Checks an ASCII STL: three corners for each facet, and an end. */
export async function validateAsciiStl(file: ByteReader, limits: ValidationLimits): Promise<void> {
  let facets = 0;
  let corners = 0;
  let open = false;
  const blocks: ByteBlocks = readBlocks(file);
  await visitLines(blocks, limits, (line, at) => {
    const [, word = ''] = /^\s*(\w{0,12})/.exec(line) ?? [];
    switch (word.toLowerCase()) {
      case 'solid':
        open = true;
        break;
      case 'endsolid':
        open = false;
        break;
      case 'facet':
        facets++;
        assertWithinLimit('triangles', facets, limits);
        break;
      case 'vertex':
        corners++;
        if (hasNonFiniteNumber(line))
          throwUnreadable('not-finite', `Line ${at} of the STL has a vertex at no place`);
        break;
    }
  });
  if (open) throwUnreadable('truncated', 'The STL has no "endsolid": its end is missing');
  if (corners !== 3 * facets) {
    throwUnreadable(
      'count',
      `The STL has ${formatNumber(facets)} triangles, but ${formatNumber(corners)} corners`,
    );
  }
  if (facets === 0) throwUnreadable('empty', 'The STL has no triangles');
}
