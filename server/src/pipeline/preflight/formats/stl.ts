import { damaged } from '../damaged.ts';
import { grouped, type Limits, limit } from '../limits.ts';
import { blocksOf, type Source } from '../source.ts';
import { type Blocks, eachLine, hasWildNumber } from './lines.ts';

const HEAD_BYTES = 84;
const FACET_BYTES = 50;
/** Behind the normal, three corners of three floats. */
const CORNERS_AT = 12;
const NUMBERS = 9;
/** Whole facets in a read of at most a block. */
const FACETS_AT_ONCE = 20_000;
/** An exponent of all ones: a NaN or an infinity. */
const WILD = 0x7f800000;

/** Checks a binary STL: as many triangles as it says, every corner at some place. */
export async function checkBinaryStl(file: Source, limits: Limits): Promise<void> {
  const count = (await file.read(80, 4)).readUInt32LE();
  const room = (file.size - HEAD_BYTES) / FACET_BYTES;
  if (count !== room) {
    const has = `but the file has room for ${grouped(Math.floor(room))}`;
    damaged('count', `The STL says it has ${grouped(count)} triangles, ${has}`);
  }
  if (count === 0) damaged('empty', 'The STL has no triangles');
  limit('triangles', count, limits);

  for (let at = 0; at < count; at += FACETS_AT_ONCE) {
    const facets = Math.min(FACETS_AT_ONCE, count - at);
    const bytes = await file.read(HEAD_BYTES + at * FACET_BYTES, facets * FACET_BYTES);
    const wild = findWild(bytes);
    if (wild !== undefined)
      damaged('not-finite', `Triangle ${at + wild} of the STL is at no place`);
  }
}

function findWild(bytes: Buffer): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let facet = 0; facet < bytes.length; facet += FACET_BYTES) {
    for (let at = 0; at < NUMBERS; at++) {
      const bits = view.getUint32(facet + CORNERS_AT + 4 * at, true);
      if ((bits & WILD) === WILD) return facet / FACET_BYTES;
    }
  }
  return undefined;
}

/** Checks an ASCII STL: three corners for each facet, and an end. */
export async function checkTextStl(file: Source, limits: Limits): Promise<void> {
  let facets = 0;
  let corners = 0;
  let open = false;
  const blocks: Blocks = blocksOf(file);
  await eachLine(blocks, limits, (line, at) => {
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
        limit('triangles', facets, limits);
        break;
      case 'vertex':
        corners++;
        if (hasWildNumber(line))
          damaged('not-finite', `Line ${at} of the STL has a vertex at no place`);
        break;
    }
  });
  if (open) damaged('truncated', 'The STL has no "endsolid": its end is missing');
  if (corners !== 3 * facets) {
    damaged('count', `The STL has ${grouped(facets)} triangles, but ${grouped(corners)} corners`);
  }
  if (facets === 0) damaged('empty', 'The STL has no triangles');
}
