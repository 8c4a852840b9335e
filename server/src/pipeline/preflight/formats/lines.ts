import { type Limits, limit } from '../limits.ts';

/** Bytes in their order, a block at a time. */
export type Blocks = AsyncIterable<Buffer>;

type Visit = (line: string, at: number) => void;

/**
 * Visits each line of a text, as Latin-1 and without its end; `at` counts from 1.
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
      limit('lineBytes', end - start, limits, { path: `line ${at + 1}` });
      visit(lines.slice(start, end), ++at);
      start = end + 1;
    }
    // A return at the very end may belong to a newline that comes: then one line is empty.
    rest = lines.slice(start);
    limit('lineBytes', rest.length, limits, { path: `line ${at + 1}` });
  }
  if (rest !== '') visit(rest, at + 1);
}

/** Whether a text of numbers has one that is not finite, or parses to none that is. */
export function hasWildNumber(text: string): boolean {
  return /nan|inf|e\+?\d{3}/i.test(text);
}
