import { damaged } from '../damaged.ts';
import { grouped, type Limits, limit } from '../limits.ts';
import { quote } from '../quote.ts';
import { type Blocks, eachLine, hasWildNumber } from './lines.ts';

const SPACE = 0x20;
const TAB = 0x09;
const SLASH = 0x2f;
const MINUS = 0x2d;

/** The three lists that corners point into. */
const LISTS = ['vertices', 'texture coordinates', 'normals'] as const;

type Tally = {
  /** How many of each list there are so far. */
  counts: [number, number, number];
  /** The highest index into each list, and the line that has it. */
  highest: { index: number; at: number }[];
  triangles: number;
};

/** Checks an OBJ: numbers that are some, faces whose corners exist, and how much there is. */
export async function checkObj(blocks: Blocks, limits: Limits): Promise<void> {
  const tally: Tally = {
    counts: [0, 0, 0],
    highest: LISTS.map(() => ({ index: 0, at: 0 })),
    triangles: 0,
  };
  /** What a line goes on from. Joined once: texts that grow are copied whenever one looks at them. */
  let pieces: string[] = [];
  let bytes = 0;
  await eachLine(blocks, limits, (piece, at) => {
    const goesOn = piece.endsWith('\\');
    bytes += piece.length;
    if (goesOn || pieces.length > 0) {
      limit('lineBytes', bytes, limits, { path: `line ${at}` });
      pieces.push(goesOn ? piece.slice(0, -1) : piece);
    }
    if (goesOn) return;
    checkLine(pieces.length > 0 ? pieces.join('') : piece, at, tally);
    pieces = [];
    bytes = 0;
    limit('vertices', tally.counts[0], limits);
    limit('triangles', tally.triangles, limits);
  });

  for (const [list, { index, at }] of tally.highest.entries()) {
    const count = tally.counts[list] ?? 0;
    if (index <= count) continue;
    const has = `but the file has ${grouped(count)} ${LISTS[list]}`;
    damaged('index', `Line ${at} of the OBJ points at number ${grouped(index)}, ${has}`);
  }
  if (tally.counts[0] === 0) damaged('empty', 'The OBJ has no vertices');
}

function checkLine(line: string, at: number, tally: Tally): void {
  const text = line.charCodeAt(0) <= SPACE ? line.trimStart() : line;
  const end = text.search(/[ \t]/);
  switch (end === -1 ? text : text.slice(0, end)) {
    case 'v':
      tally.counts[0]++;
      if (hasWildNumber(text))
        damaged('not-finite', `Line ${at} of the OBJ has a vertex at no place`);
      break;
    case 'vt':
      tally.counts[1]++;
      break;
    case 'vn':
      tally.counts[2]++;
      break;
    case 'f':
      tally.triangles += Math.max(checkCorners(text, at, tally) - 2, 0);
      break;
    case 'l':
    case 'p':
      checkCorners(text, at, tally);
      break;
    case 'mtllib':
      checkLibrary(text.slice(end).trim(), at);
      break;
  }
}

/** Reads corners like `7/-1/3`; gives how many. One character at a time: most of an OBJ is these. */
function checkCorners(line: string, at: number, { counts, highest }: Tally): number {
  let corners = 0;
  let list = 0;
  let index = 0;
  let isNegative = false;
  let inCorner = false;
  const settle = () => {
    const count = counts[list] ?? 0;
    const most = highest[list];
    if (isNegative && index > count) {
      damaged(
        'index',
        `Line ${at} of the OBJ points ${grouped(index)} back, but only ${count} are before it`,
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
      damaged('text', `Line ${at} of the OBJ should be numbers, but is ${quote(line)}`);
    }
  }
  return corners;
}

/** Materials lie beside the model: a path to anywhere else is a mistake, or a trap. */
function checkLibrary(path: string, at: number): void {
  if (!/^(\/|\\|[a-z]+:)|(^|[\\/])\.\.([\\/]|$)/i.test(path)) return;
  const advice = 'pack the .mtl into the zip archive, beside the model, and name it alone';
  damaged('uri', `Line ${at} of the OBJ takes its materials from ${quote(path)}; ${advice}`);
}
