import { damaged } from '../damaged.ts';
import { grouped, type Limits, limit } from '../limits.ts';
import { quote } from '../quote.ts';
import { BLOCK_BYTES, blocksOf, type Source } from '../source.ts';
import { Cursor, type NumberType } from './cursor.ts';
import { eachLine, hasWildNumber } from './lines.ts';
import { type PlyElement, type PlyHeader, readPlyHeader } from './ply-header.ts';

const HEAD_BYTES = 64 * 1024;
/** The most that one list may take: faces have some hundred corners, strips some million. */
const MAX_LIST_BYTES = BLOCK_BYTES;

/** Checks a PLY: as many elements as its header says, and corners that exist. */
export async function checkPly(file: Source, limits: Limits): Promise<void> {
  const header = readPlyHeader(await file.read(0, Math.min(HEAD_BYTES, file.size)));
  const vertices = header.elements.find(({ name }) => name === 'vertex')?.count ?? 0;
  if (vertices === 0) damaged('empty', 'The PLY has no vertices');
  const rest = file.size - header.bytes;
  for (const element of header.elements) {
    // The least a row can take: in text a digit and a space for each number.
    const row = header.encoding === 'ascii' ? 2 * element.properties.length : leastBytes(element);
    if (element.count > 0 && (row === 0 || element.count * row > rest + 1)) {
      const says = `${grouped(element.count)} of the element ${quote(element.name)}`;
      damaged('count', `The PLY says it has ${says}, more than the file has room for`);
    }
  }
  limit('vertices', vertices, limits);
  if (header.encoding === 'ascii') await checkText(file, header, { vertices, limits });
  else await checkBinary(file, header, { vertices, limits });
}

function leastBytes({ properties }: PlyElement): number {
  return properties.reduce((sum, { type, length }) => sum + (length ?? type).bytes, 0);
}

type Check = { vertices: number; limits: Limits };

async function checkText(
  file: Source,
  header: PlyHeader,
  { vertices, limits }: Check,
): Promise<void> {
  const rows = header.elements.filter(({ count }) => count > 0);
  let [which, row, triangles] = [0, 0, 0];
  const data = blocksOf(file, { offset: header.bytes, length: file.size - header.bytes });
  await eachLine(data, limits, (line, at) => {
    const element = rows[which];
    if (element === undefined || line.trim() === '') return;
    triangles += checkRow(line, element, vertices, at);
    limit('triangles', triangles, limits);
    row++;
    if (row < element.count) return;
    which++;
    row = 0;
  });
  const missing = rows[which];
  if (missing !== undefined) truncated(missing, row);
}

/** Gives how many triangles the row draws. */
function checkRow(line: string, element: PlyElement, vertices: number, at: number): number {
  const broken = (reason: string, complaint: string) =>
    damaged(reason, `Line ${at} after the header of the PLY ${complaint}`);
  if (hasWildNumber(line)) broken('not-finite', 'has a number that is none');
  if (element.properties.every(({ length }) => length === undefined)) return 0;
  const numbers = line.trim().split(/\s+/).map(Number);
  let next = 0;
  let triangles = 0;
  for (const { name, length } of element.properties) {
    const count = length === undefined ? 1 : (numbers[next++] ?? -1);
    if (!(count >= 0) || next + count > numbers.length) {
      broken('count', 'has fewer numbers than its list says');
    }
    if (length !== undefined && pointsAtVertices(name)) {
      const wrong = numbers
        .slice(next, next + count)
        .find((index) => !(index >= 0 && index < vertices));
      if (wrong !== undefined) broken('index', `points at vertex ${wrong} of ${grouped(vertices)}`);
      triangles += Math.max(count - 2, 0);
    }
    next += count;
  }
  return triangles;
}

function pointsAtVertices(name: string): boolean {
  return name === 'vertex_indices' || name === 'vertex_index';
}

async function checkBinary(file: Source, header: PlyHeader, check: Check): Promise<void> {
  const isLittle = header.encoding === 'binary_little_endian';
  const cursor = new Cursor(file, header.bytes);
  const walk: Walk = { ...check, cursor, isLittle, triangles: 0 };
  for (const element of header.elements) {
    const hasList = element.properties.some(({ length }) => length !== undefined);
    if (!hasList) cursor.skip(element.count * leastBytes(element));
    else await walkRows(walk, element);
    if (cursor.at > file.size) truncated(element, element.count);
  }
}

type Walk = Check & { cursor: Cursor; isLittle: boolean; triangles: number };

/** Walks rows with lists in them, each as long as it says. */
async function walkRows(walk: Walk, element: PlyElement): Promise<void> {
  const { cursor } = walk;
  for (let row = 0; row < element.count; row++) {
    for (const { name, type, length } of element.properties) {
      const start = (length ?? type).bytes;
      if (!cursor.has(start) && !(await cursor.load(start))) truncated(element, row);
      if (length === undefined) {
        cursor.skip(start);
        continue;
      }
      const count = cursor.number(length, walk.isLittle);
      const bytes = count * type.bytes;
      if (count < 0 || bytes > MAX_LIST_BYTES) {
        damaged('count', `Row ${row} of the PLY has a list of ${grouped(count)} numbers`);
      }
      if (!cursor.has(bytes) && !(await cursor.load(bytes))) truncated(element, row);
      if (pointsAtVertices(name)) checkCorners(walk, { count, type, row });
      else cursor.skip(bytes);
    }
  }
}

type Corners = { count: number; type: NumberType; row: number };

function checkCorners(walk: Walk, { count, type, row }: Corners): void {
  for (let corner = 0; corner < count; corner++) {
    const index = walk.cursor.number(type, walk.isLittle);
    if (index >= 0 && index < walk.vertices) continue;
    damaged(
      'index',
      `Row ${row} of the PLY points at vertex ${index} of ${grouped(walk.vertices)}`,
    );
  }
  walk.triangles += Math.max(count - 2, 0);
  limit('triangles', walk.triangles, walk.limits);
}

function truncated({ name, count }: PlyElement, found: number): never {
  const says = `${grouped(count)} of the element ${quote(name)}`;
  damaged('truncated', `The PLY says it has ${says}, but it ends after ${grouped(found)}`);
}
