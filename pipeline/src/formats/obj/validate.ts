import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import { assertWithinLimit, formatNumber } from '../../validation/budgets.ts';
import type { FileHead, SniffEvidence } from '../../validation/file-head.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import { type ByteBlocks, hasNonFiniteNumber, visitLines } from '../../validation/lines.ts';
import { PolygonCounter } from '../../validation/triangulation-cost.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';

const SPACE = 0x20;
const TAB = 0x09;
const SLASH = 0x2f;
const MINUS = 0x2d;
const HASH = 0x23;
const DIGIT_ZERO = 0x30;

/** The three lists that a corner refers to, in the order of its indices. */
const INDEXED_LISTS = ['vertices', 'texture coordinates', 'normals'] as const;

const OBJ_START = /^\s*(#[^\n]*\n\s*)*(mtllib|usemtl|o|g|s|v|vn|vt|vp)[ \t]\S/;

type ObjCounts = {
  /** The length of each list so far. */
  counts: [number, number, number];
  /** The highest index into each list, and its line. */
  highest: { index: number; lineNumber: number }[];
  polygons: PolygonCounter;
};

/** Recognizes an OBJ by its first statement, which comments may precede. */
export function sniffObj({ text }: FileHead): SniffEvidence | undefined {
  return OBJ_START.test(text) ? 'statement' : undefined;
}

/**
 * Validates an OBJ: numbers are finite, and faces refer to existing vertices. Returns how many bytes of triangles take
 * as long as the triangulation of its polygons.
 *
 * @throws {Problem} design.unreadable, design.too-complex
 */
export async function validateObj(blocks: ByteBlocks, limits: ValidationLimits): Promise<number> {
  const objCounts: ObjCounts = {
    counts: [0, 0, 0],
    highest: INDEXED_LISTS.map(() => ({ index: 0, lineNumber: 0 })),
    polygons: new PolygonCounter(limits, 'earcut'),
  };
  await visitStatements(blocks, limits, (statement, lineNumber) => {
    validateStatement(statement, lineNumber, objCounts);
    assertWithinLimit('vertices', objCounts.counts[0], limits);
  });

  for (const [list, { index, lineNumber }] of objCounts.highest.entries()) {
    const count = objCounts.counts[list] ?? 0;
    if (index <= count) continue;
    const available = `but the file has ${formatNumber(count)} ${INDEXED_LISTS[list]}`;
    throwUnreadable(
      'index',
      `Line ${lineNumber} of the OBJ refers to number ${formatNumber(index)}, ${available}`,
    );
  }
  if (objCounts.counts[0] === 0) throwUnreadable('empty', 'The OBJ has no vertices');
  return objCounts.polygons.triangulationBytes;
}

/** Visits each statement: a line, joined with the next ones as long as it ends with a backslash. */
async function visitStatements(
  blocks: ByteBlocks,
  limits: ValidationLimits,
  visit: (statement: string, lineNumber: number) => void,
): Promise<void> {
  /** The lines of an unfinished statement. They are joined only once, so that the time is linear. */
  let pieces: string[] = [];
  let bytes = 0;
  await visitLines(blocks, limits, (line, lineNumber) => {
    const continues = line.endsWith('\\');
    bytes += line.length;
    if (continues || pieces.length > 0) {
      assertWithinLimit('lineBytes', bytes, limits, { path: `line ${lineNumber}` });
      pieces.push(continues ? line.slice(0, -1) : line);
    }
    if (continues) return;
    visit(pieces.length > 0 ? pieces.join('') : line, lineNumber);
    pieces = [];
    bytes = 0;
  });
}

function validateStatement(statement: string, lineNumber: number, objCounts: ObjCounts): void {
  const text = statement.charCodeAt(0) <= SPACE ? statement.trimStart() : statement;
  const end = text.search(/[ \t]/);
  switch (end === -1 ? text : text.slice(0, end)) {
    case 'v':
      objCounts.counts[0]++;
      if (hasNonFiniteNumber(text)) {
        throwUnreadable(
          'not-finite',
          `Line ${lineNumber} of the OBJ has a coordinate that is not a finite number`,
        );
      }
      break;
    case 'vt':
      objCounts.counts[1]++;
      break;
    case 'vn':
      objCounts.counts[2]++;
      break;
    case 'f':
      objCounts.polygons.add(validateCorners(text, lineNumber, objCounts));
      break;
    case 'l':
    case 'p':
      validateCorners(text, lineNumber, objCounts);
      break;
    case 'mtllib':
      validateMaterialLibrary(text.slice(end).trim(), lineNumber);
      break;
  }
}

/**
 * Validates the corners of a face, such as `7/-1/3`, and returns their number.
 *
 * It reads character by character, for speed: most of an OBJ consists of faces.
 */
function validateCorners(text: string, lineNumber: number, objCounts: ObjCounts): number {
  const corners = new CornerReader(lineNumber, objCounts);
  for (let offset = 1; offset < text.length; offset++) {
    const code = text.charCodeAt(offset);
    if (code >= DIGIT_ZERO && code <= DIGIT_ZERO + 9) corners.addDigit(code - DIGIT_ZERO);
    else if (code === SPACE || code === TAB) corners.endCorner();
    else if (code === MINUS) corners.setNegative();
    else if (code === HASH) break;
    else if (code !== SLASH || !corners.startNextIndex()) {
      throwUnreadable(
        'text',
        `Line ${lineNumber} of the OBJ must consist of numbers, but is ${quoteUntrusted(text)}`,
      );
    }
  }
  corners.endCorner();
  return corners.count;
}

/** Counts corners and checks their indices. */
class CornerReader {
  count = 0;
  readonly #lineNumber: number;
  readonly #objCounts: ObjCounts;
  /** The list that the current index refers to. */
  #list = 0;
  #index = 0;
  #isNegative = false;
  #isInCorner = false;

  constructor(lineNumber: number, objCounts: ObjCounts) {
    this.#lineNumber = lineNumber;
    this.#objCounts = objCounts;
  }

  addDigit(digit: number): void {
    this.#index = this.#index * 10 + digit;
    if (!this.#isInCorner) this.count++;
    this.#isInCorner = true;
  }

  setNegative(): void {
    this.#isNegative = true;
  }

  /** Starts the next index of the corner, after a slash. Returns false if there cannot be one. */
  startNextIndex(): boolean {
    if (!this.#isInCorner || this.#list === 2) return false;
    this.#checkIndex();
    this.#list++;
    return true;
  }

  endCorner(): void {
    if (this.#isInCorner) this.#checkIndex();
    this.#list = 0;
    this.#isInCorner = false;
  }

  /** Checks a relative index. The highest absolute index is checked at the end of the file. */
  #checkIndex(): void {
    const index = this.#index;
    const count = this.#objCounts.counts[this.#list] ?? 0;
    const highest = this.#objCounts.highest[this.#list];
    if (this.#isNegative && index > count) {
      throwUnreadable(
        'index',
        `Line ${this.#lineNumber} of the OBJ has the relative index -${formatNumber(index)}, but only ${formatNumber(count)} ${INDEXED_LISTS[this.#list]} before it`,
      );
    }
    if (!this.#isNegative && highest !== undefined && index > highest.index) {
      highest.index = index;
      highest.lineNumber = this.#lineNumber;
    }
    this.#index = 0;
    this.#isNegative = false;
  }
}

/** Refuses a material library that is not a relative path within the archive. */
function validateMaterialLibrary(path: string, lineNumber: number): void {
  if (!/^(\/|\\|[a-z]+:)|(^|[\\/])\.\.([\\/]|$)/i.test(path)) return;
  const advice =
    'pack the .mtl file into the zip archive, next to the model, and refer to it by its file name';
  throwUnreadable(
    'uri',
    `Line ${lineNumber} of the OBJ takes its materials from ${quoteUntrusted(path)}; ${advice}`,
  );
}
