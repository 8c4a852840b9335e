import { type Limits, limit } from '../limits.ts';

/** Bytes in their order, a block at a time. */
export type Blocks = AsyncIterable<Buffer>;

type Visit = (line: string, at: number) => void;

/**
 * Visits each line of a text that is not empty, as Latin-1 and without its end; `at` counts from 1.
 *
 * Memory is a block and the longest line, which is bounded.
 */
export async function eachLine(blocks: Blocks, limits: Limits, visit: Visit): Promise<void> {
  let rest = '';
  let at = 0;
  for await (const block of blocks) {
    const text = rest + block.toString('latin1');
    const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
    let start = 0;
    for (let end = lines.indexOf('\n'); end !== -1; end = lines.indexOf('\n', start)) {
      if (end - start > limits.lineBytes) limitLine(end - start, at, limits);
      at++;
      if (end > start) visit(lines.slice(start, end), at);
      start = end + 1;
    }
    // A return at the very end may belong to a newline that comes: then one line is empty.
    rest = lines.slice(start);
    limitLine(rest.length, at, limits);
  }
  if (rest !== '') visit(rest, at + 1);
}

function limitLine(bytes: number, before: number, limits: Limits): void {
  limit('lineBytes', bytes, limits, { path: `line ${before + 1}` });
}

/** Words for no number, and exponents that are none in 32 bits; some write 100 as 1e+002. */
const WILD = /nan|inf|e\+?0*(39|[4-9]\d|[1-9]\d{2,})/i;

/** Whether a line of numbers has one that is not finite, its comment aside. */
export function hasWildNumber(line: string): boolean {
  return WILD.test(line) && WILD.test(line.replace(/#.*/, ''));
}
