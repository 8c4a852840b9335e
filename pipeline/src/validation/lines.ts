import { assertWithinLimit } from './budgets.ts';
import { withoutByteOrderMark } from './file-head.ts';
import type { ValidationLimits } from './limits.ts';

/** The bytes of a file in order, one block at a time. */
export type ByteBlocks = AsyncIterable<Buffer>;

type LineVisitor = (line: string, lineNumber: number) => void;

/**
 * Visits each non-empty line of a text, as Latin-1 and without its line break. Line numbers start
 * at 1. A byte order mark is skipped. Only one block and the current line, whose length is limited, are in memory.
 *
 * @throws {Problem} design.too-complex: a line is too long
 */
export async function visitLines(
  blocks: ByteBlocks,
  limits: ValidationLimits,
  visit: LineVisitor,
): Promise<void> {
  let rest: string | undefined;
  let lineNumber = 0;
  for await (const block of blocks) {
    const latin1 = block.toString('latin1');
    const text = rest === undefined ? withoutByteOrderMark(latin1) : rest + latin1;
    const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
    let start = 0;
    for (let end = lines.indexOf('\n'); end !== -1; end = lines.indexOf('\n', start)) {
      if (end - start > limits.lineBytes) assertLineLength(end - start, lineNumber, limits);
      lineNumber++;
      if (end > start) visit(lines.slice(start, end), lineNumber);
      start = end + 1;
    }
    // If a block ends between CR and LF, the LF counts as an empty line, which is not visited.
    rest = lines.slice(start);
    assertLineLength(rest.length, lineNumber, limits);
  }
  if (rest) visit(rest, lineNumber + 1);
}

function assertLineLength(bytes: number, linesBefore: number, limits: ValidationLimits): void {
  assertWithinLimit('lineBytes', bytes, limits, { path: `line ${linesBefore + 1}` });
}

/**
 * Matches NaN, infinity, and exponents beyond 32-bit floats. Some exporters write 100 as 1e+002. Older C
 * libraries of Microsoft write NaN and infinity as 1.#QNAN, 1.#IND or 1.#INF, or rounded, such as 1.#J.
 */
const NON_FINITE = /nan|inf|e\+?0*(39|[4-9]\d|[1-9]\d{2,})|\.(#[a-z]|\$)/i;

/** Whether a line contains a number that is not finite. Comments are ignored. */
export function hasNonFiniteNumber(line: string): boolean {
  return NON_FINITE.test(line) && NON_FINITE.test(withoutComment(line));
}

/** Removes the comment after `#` from a line. `1.#IND` is a number. */
export function withoutComment(line: string): string {
  return line.replace(/(?<!\.(?=#[a-z]))#.*/i, '');
}
