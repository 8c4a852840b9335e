import { damaged } from '../damaged.ts';
import { grouped, type Limits, limit } from '../limits.ts';
import { blocksOf, type Source } from '../source.ts';

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
export async function checkFbxText(file: Source, limits: Limits): Promise<void> {
  const state: State = { within: undefined, depth: 0, records: 0, count: undefined };
  for await (const block of blocksOf(file)) {
    for (let at = 0; at < block.length; at++) {
      if (state.within === undefined) {
        take(block[at] ?? 0, state, { limits, bytes: file.size });
        continue;
      }
      const end = block.indexOf(state.within, at);
      if (end !== -1) state.within = undefined;
      at = end === -1 ? block.length : end;
    }
  }
  if (state.within === QUOTE || state.depth !== 0) {
    damaged('truncated', 'The FBX ends within a record: its end is missing');
  }
  if (state.records === 0) damaged('empty', 'The FBX has no records');
}

type State = {
  /** What ends the text or comment we are in. */
  within: number | undefined;
  depth: number;
  records: number;
  /** The number behind a star: how many an array has. */
  count: number | undefined;
};

function take(
  code: number,
  state: State,
  { limits, bytes }: { limits: Limits; bytes: number },
): void {
  if (state.count !== undefined && code >= ZERO && code <= NINE) {
    state.count = 10 * state.count + code - ZERO;
    if (2 * state.count > bytes + 2) {
      damaged(
        'count',
        `The FBX has an array of at least ${grouped(state.count)}, more than it has room for`,
      );
    }
    return;
  }
  state.count = undefined;
  if (code === QUOTE) state.within = QUOTE;
  else if (code === SEMICOLON) state.within = NEWLINE;
  else if (code === STAR) state.count = 0;
  else if (code === COLON) limit('fbxRecords', ++state.records, limits);
  else if (code === OPEN) limit('fbxDepth', ++state.depth, limits);
  else if (code === CLOSE && --state.depth < 0)
    damaged('braces', 'The FBX closes more records than it opens');
}
