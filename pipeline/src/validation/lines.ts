import { assertWithinLimit } from './budgets.ts';
import type { ValidationLimits } from './limits.ts';

/** Bytes in their order, a block at a time. */
export type ByteBlocks = AsyncIterable<Buffer>;

type LineVisitor = (line: string, at: number) => void;

/**
 * Visits each line of a text that is not empty, as Latin-1 and without its end; `at` counts from 1.
 *
 * Memory is a block and the longest line, which is bounded.
 */
export async function visitLines(
  blocks: ByteBlocks,
  limits: ValidationLimits,
  visit: LineVisitor,
): Promise<void> {
  let rest = '';
  let at = 0;
  for await (const block of blocks) {
    const text = rest + block.toString('latin1');
    const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
    let start = 0;
    for (let end = lines.indexOf('\n'); end !== -1; end = lines.indexOf('\n', start)) {
      if (end - start > limits.lineBytes) assertLineLength(end - start, at, limits);
      at++;
      if (end > start) visit(lines.slice(start, end), at);
      start = end + 1;
    }
    // A return at the very end may belong to a newline that comes: then one line is empty.
    rest = lines.slice(start);
    assertLineLength(rest.length, at, limits);
  }
  if (rest !== '') visit(rest, at + 1);
}

function assertLineLength(bytes: number, before: number, limits: ValidationLimits): void {
  assertWithinLimit('lineBytes', bytes, limits, { path: `line ${before + 1}` });
}

/** Words for no number, and exponents that are none in 32 bits; some write 100 as 1e+002. */
const NON_FINITE = /nan|inf|e\+?0*(39|[4-9]\d|[1-9]\d{2,})/i;

/** Whether a line of numbers has one that is not finite, its comment aside. */
export function hasNonFiniteNumber(line: string): boolean {
  return NON_FINITE.test(line) && NON_FINITE.test(line.replace(/#.*/, ''));
}
