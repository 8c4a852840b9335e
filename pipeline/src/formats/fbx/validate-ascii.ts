import { assertWithinLimit, formatNumber } from '../../validation/budgets.ts';
import { type ByteReader, readBlocks } from '../../validation/byte-reader.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';

const QUOTE = 0x22;
const STAR = 0x2a;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const SEMICOLON = 0x3b;
const NEWLINE = 0x0a;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Checks an ASCII FBX: its nesting, its end, and arrays it has room for. */
export async function validateAsciiFbx(file: ByteReader, limits: ValidationLimits): Promise<void> {
  const state: LexerState = {
    terminator: undefined,
    depth: 0,
    recordCount: 0,
    arrayLength: undefined,
  };
  for await (const block of readBlocks(file)) {
    for (let at = 0; at < block.length; at++) {
      if (state.terminator === undefined) {
        consumeByte(block[at] ?? 0, state, { limits, bytes: file.size });
        continue;
      }
      const end = block.indexOf(state.terminator, at);
      if (end !== -1) state.terminator = undefined;
      at = end === -1 ? block.length : end;
    }
  }
  if (state.terminator === QUOTE || state.depth !== 0) {
    throwUnreadable('truncated', 'The FBX ends within a record: its end is missing');
  }
  if (state.recordCount === 0) throwUnreadable('empty', 'The FBX has no records');
}

type LexerState = {
  /** What ends the text or comment we are in. */
  terminator: number | undefined;
  depth: number;
  recordCount: number;
  /** The number behind a star: how many an array has. */
  arrayLength: number | undefined;
};

function consumeByte(
  code: number,
  state: LexerState,
  { limits, bytes }: { limits: ValidationLimits; bytes: number },
): void {
  if (state.arrayLength !== undefined && code >= ZERO && code <= NINE) {
    state.arrayLength = 10 * state.arrayLength + code - ZERO;
    if (2 * state.arrayLength > bytes + 2) {
      throwUnreadable(
        'count',
        `The FBX has an array of at least ${formatNumber(state.arrayLength)}, more than it has room for`,
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
    throwUnreadable('braces', 'The FBX closes more records than it opens');
}
