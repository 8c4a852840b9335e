import {
  assertWithinLimit,
  formatNumber,
  type ValidationLimits,
} from '../../validation/budgets.ts';
import { type ByteBlocks, hasNonFiniteNumber, visitLines } from '../../validation/lines.ts';
import { quoteUntrusted } from '../../validation/quote-untrusted.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';

const SPACE = 0x20;
const TAB = 0x09;
const SLASH = 0x2f;
const MINUS = 0x2d;

/** The three lists that corners point into. */
const INDEXED_LISTS = ['vertices', 'texture coordinates', 'normals'] as const;

type ObjCounts = {
  /** How many of each list there are so far. */
  counts: [number, number, number];
  /** The highest index into each list, and the line that has it. */
  highest: { index: number; at: number }[];
  triangleCount: number;
};

/** Checks an OBJ: numbers that are some, faces whose corners exist, and how much there is. */
export async function validateObj(blocks: ByteBlocks, limits: ValidationLimits): Promise<void> {
  const tally: ObjCounts = {
    counts: [0, 0, 0],
    highest: INDEXED_LISTS.map(() => ({ index: 0, at: 0 })),
    triangleCount: 0,
  };
  /** What a line goes on from. Joined once: texts that grow are copied whenever one looks at them. */
  let pieces: string[] = [];
  let bytes = 0;
  await visitLines(blocks, limits, (piece, at) => {
    const goesOn = piece.endsWith('\\');
    bytes += piece.length;
    if (goesOn || pieces.length > 0) {
      assertWithinLimit('lineBytes', bytes, limits, { path: `line ${at}` });
      pieces.push(goesOn ? piece.slice(0, -1) : piece);
    }
    if (goesOn) return;
    validateLine(pieces.length > 0 ? pieces.join('') : piece, at, tally);
    pieces = [];
    bytes = 0;
    assertWithinLimit('vertices', tally.counts[0], limits);
    assertWithinLimit('triangles', tally.triangleCount, limits);
  });

  for (const [list, { index, at }] of tally.highest.entries()) {
    const count = tally.counts[list] ?? 0;
    if (index <= count) continue;
    const has = `but the file has ${formatNumber(count)} ${INDEXED_LISTS[list]}`;
    throwUnreadable(
      'index',
      `Line ${at} of the OBJ points at number ${formatNumber(index)}, ${has}`,
    );
  }
  if (tally.counts[0] === 0) throwUnreadable('empty', 'The OBJ has no vertices');
}

function validateLine(line: string, at: number, tally: ObjCounts): void {
  const text = line.charCodeAt(0) <= SPACE ? line.trimStart() : line;
  const end = text.search(/[ \t]/);
  switch (end === -1 ? text : text.slice(0, end)) {
    case 'v':
      tally.counts[0]++;
      if (hasNonFiniteNumber(text))
        throwUnreadable('not-finite', `Line ${at} of the OBJ has a vertex at no place`);
      break;
    case 'vt':
      tally.counts[1]++;
      break;
    case 'vn':
      tally.counts[2]++;
      break;
    case 'f':
      tally.triangleCount += Math.max(validateCorners(text, at, tally) - 2, 0);
      break;
    case 'l':
    case 'p':
      validateCorners(text, at, tally);
      break;
    case 'mtllib':
      validateMaterialLibrary(text.slice(end).trim(), at);
      break;
  }
}

/** Reads corners like `7/-1/3`; gives how many. One character at a time: most of an OBJ is these. */
function validateCorners(line: string, at: number, { counts, highest }: ObjCounts): number {
  let corners = 0;
  let list = 0;
  let index = 0;
  let isNegative = false;
  let inCorner = false;
  const settle = () => {
    const count = counts[list] ?? 0;
    const most = highest[list];
    if (isNegative && index > count) {
      throwUnreadable(
        'index',
        `Line ${at} of the OBJ points ${formatNumber(index)} back, but only ${count} are before it`,
      );
    }
    if (!isNegative && most !== undefined && index > most.index) {
      most.index = index;
      most.at = at;
    }
    index = 0;
    isNegative = false;
  };
  for (let next = 1; next <= line.length; next++) {
    const code = next === line.length ? SPACE : line.charCodeAt(next);
    if (code >= 0x30 && code <= 0x39) {
      index = index * 10 + code - 0x30;
      if (!inCorner) corners++;
      inCorner = true;
    } else if (code === SLASH && inCorner && list < 2) {
      settle();
      list++;
    } else if (code === MINUS) {
      isNegative = true;
    } else if (code === SPACE || code === TAB) {
      if (inCorner) settle();
      list = 0;
      inCorner = false;
    } else if (code === 0x23) {
      break;
    } else {
      throwUnreadable(
        'text',
        `Line ${at} of the OBJ should be numbers, but is ${quoteUntrusted(line)}`,
      );
    }
  }
  return corners;
}

/** Materials lie beside the model: a path to anywhere else is a mistake, or a trap. */
function validateMaterialLibrary(path: string, at: number): void {
  if (!/^(\/|\\|[a-z]+:)|(^|[\\/])\.\.([\\/]|$)/i.test(path)) return;
  const advice = 'pack the .mtl into the zip archive, beside the model, and name it alone';
  throwUnreadable(
    'uri',
    `Line ${at} of the OBJ takes its materials from ${quoteUntrusted(path)}; ${advice}`,
  );
}
