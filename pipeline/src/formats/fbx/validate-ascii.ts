import { assertWithinLimit, formatNumber } from '../../validation/budgets.ts';
import { type ByteReader, readBlocks } from '../../validation/byte-reader.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import { PolygonCounter } from '../../validation/triangulation-cost.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';
import type { ValidatedContent } from '../../validation/validated-content.ts';
import { CornerCounter, POLYGON_RECORD } from './polygon-arrays.ts';

const QUOTE = 0x22;
const STAR = 0x2a;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const SEMICOLON = 0x3b;
const NEWLINE = 0x0a;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const COMMA = 0x2c;
const MINUS = 0x2d;
/** Letters are from A on. */
const LETTER_A = 0x41;
/** The record with the numbers of an array, within that of the array. */
const ARRAY_CONTENT = 'a';

type LexerState = {
  /** The byte that ends the current string or comment. */
  terminator: number | undefined;
  depth: number;
  recordCount: number;
  /** The number after a star: the length of an array. */
  arrayLength: number | undefined;
  /** The letters since the last byte that is none. */
  name: string;
  /** Whether the current number has a minus. */
  isNegative: boolean;
  /** Within an array of polygons. */
  corners: CornerCounter | undefined;
};

/** Validates an ASCII FBX: its nesting, its end, and that the file is long enough for its arrays. */
export async function validateAsciiFbx(
  file: ByteReader,
  limits: ValidationLimits,
): Promise<ValidatedContent> {
  const polygons = new PolygonCounter(limits, 'assimp');
  const state: LexerState = {
    terminator: undefined,
    depth: 0,
    recordCount: 0,
    arrayLength: undefined,
    name: '',
    isNegative: false,
    corners: undefined,
  };
  for await (const block of readBlocks(file)) {
    for (let offset = 0; offset < block.length; offset++) {
      if (state.terminator !== undefined) offset = skipDelimited(block, offset, state);
      else {
        countCorner(block[offset] ?? 0, state, polygons);
        consumeByte(block[offset] ?? 0, state, { limits, fileBytes: file.size });
      }
    }
  }
  if (state.terminator === QUOTE || state.depth !== 0)
    throwUnreadable('truncated', 'The FBX file is cut off within a record');
  if (state.recordCount === 0) throwUnreadable('empty', 'The FBX file has no records');
  return { decodedBytes: file.size + polygons.triangulationBytes };
}

/** Counts the corners of polygons. The vertex of the last corner of each is negative. */
function countCorner(code: number, state: LexerState, polygons: PolygonCounter): void {
  if (code >= LETTER_A && code !== OPEN && code !== CLOSE) {
    // A longer name is that of no record that counts.
    if (state.name.length <= POLYGON_RECORD.length) state.name += String.fromCharCode(code);
    return;
  }
  if (code === COLON && state.name === POLYGON_RECORD) state.corners = new CornerCounter(polygons);
  else if (code === COLON && state.name !== ARRAY_CONTENT) state.corners = undefined;
  if (state.name !== '') state.name = '';
  if (state.corners === undefined) return;
  if (code === MINUS) state.corners.addCorner(true);
  else if (code === COMMA && !state.isNegative) state.corners.addCorner(false);
  if (code === MINUS) state.isNegative = true;
  else if (code === COMMA) state.isNegative = false;
}

/** Skips to the end of the string or comment; returns the offset of its last byte. */
function skipDelimited(block: Buffer, offset: number, state: LexerState): number {
  const end = block.indexOf(state.terminator ?? 0, offset);
  if (end === -1) return block.length;
  state.terminator = undefined;
  return end;
}

function consumeByte(
  code: number,
  state: LexerState,
  { limits, fileBytes }: { limits: ValidationLimits; fileBytes: number },
): void {
  if (state.arrayLength !== undefined && code >= ZERO && code <= NINE) {
    state.arrayLength = 10 * state.arrayLength + code - ZERO;
    // An item is at least a digit and a comma.
    if (2 * state.arrayLength > fileBytes + 2) {
      throwUnreadable(
        'count',
        `The FBX file declares an array of at least ${formatNumber(state.arrayLength)} items, more than fit in the file`,
      );
    }
    return;
  }
  state.arrayLength = undefined;
  if (code === QUOTE) state.terminator = QUOTE;
  else if (code === SEMICOLON) state.terminator = NEWLINE;
  else if (code === STAR) state.arrayLength = 0;
  else if (code === COLON) assertWithinLimit('fbxRecords', ++state.recordCount, limits);
  else if (code === OPEN) assertWithinLimit('fbxDepth', ++state.depth, limits);
  else if (code === CLOSE && --state.depth < 0)
    throwUnreadable('braces', 'The FBX file has a closing brace without an opening one');
}
