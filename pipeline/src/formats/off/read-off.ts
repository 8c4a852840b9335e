import { createGrowableIndices } from '../../mesh/growable-array.ts';
import { triangulatePolygon } from '../../mesh/triangulate.ts';
import { Tokenizer } from '../../validation/tokenizer.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';
import { OffColorTable } from './color-table.ts';
import { type OffHeader, parseOffHeader } from './header.ts';
import type { OffFindings } from './warnings.ts';

/** The content of an OFF. */
export type Off = {
  positions: Float32Array<ArrayBuffer>;
  normals: Float32Array<ArrayBuffer> | undefined;
  indices: Uint32Array<ArrayBuffer>;
  colors: OffColorTable;
  /** An index into `colors` for each vertex or each triangle, if it has colors. */
  vertexColors: Uint32Array | undefined;
  triangleColors: Uint32Array | undefined;
  findings: OffFindings;
};

const [NEWLINE, RETURN, HASH] = [10, 13, 35];

/**
 * Reads an OFF and triangulates its polygons. Colors of faces are ignored if vertices have colors.
 *
 * @throws {Problem} design.unreadable
 */
export function readOff(bytes: Buffer): Off {
  const header = parseOffHeader(bytes);
  const rows = new RowReader(bytes, header.dataOffset);
  const colors = new OffColorTable();
  const vertices = readVertices(rows, header, colors);
  const faces = readFaces(rows, { header, positions: vertices.positions, colors });
  const { hasUndeclaredNumbers, ...vertexData } = vertices;
  const { hasLines, hasColorIndices, indices, triangleColors } = faces;
  const hasTriangles = indices.length > 0;
  return {
    ...vertexData,
    indices,
    colors,
    triangleColors,
    findings: { hasTriangles, hasLines, hasColorIndices, hasUndeclaredNumbers },
  };
}

function readVertices(rows: RowReader, header: OffHeader, colors: OffColorTable) {
  const { vertexCount, hasNormals, hasColors, hasTexCoords } = header;
  const positions = new Float32Array(3 * vertexCount);
  const normals = hasNormals ? new Float32Array(3 * vertexCount) : undefined;
  const vertexColors = hasColors ? new Uint32Array(vertexCount) : undefined;
  const colorStart = hasNormals ? 6 : 3;
  const texCoordLength = hasTexCoords ? 2 : 0;
  const maximumLength = colorStart + (hasColors ? 4 : 0) + texCoordLength;
  let hasUndeclaredNumbers = false;
  for (let vertex = 0; vertex < vertexCount; vertex++) {
    const row = rows.next();
    copyVector(row, 0, { target: positions, vertex });
    if (normals) copyVector(row, 3, { target: normals, vertex });
    // Texture coordinates are not read: an OFF has no textures.
    const colorEnd = row.length - texCoordLength;
    if (vertexColors) vertexColors[vertex] = colors.add(row.slice(colorStart, colorEnd));
    hasUndeclaredNumbers ||= row.length > maximumLength;
  }
  return { positions, normals, vertexColors, hasUndeclaredNumbers };
}

type FaceContext = { header: OffHeader; positions: Float32Array; colors: OffColorTable };

function readFaces(rows: RowReader, { header, positions, colors }: FaceContext) {
  const indices = createGrowableIndices();
  const triangleColors = createGrowableIndices();
  let hasLines = false;
  let hasColorIndices = false;
  let hasColors = false;
  for (let face = 0; face < header.faceCount; face++) {
    const [length = 0, ...numbers] = rows.next();
    const corners = numbers.slice(0, length);
    assertVerticesExist(corners, length, header.vertexCount);
    if (length < 3) {
      hasLines = true;
      continue;
    }
    triangulatePolygon(indices, corners, positions);
    if (header.hasColors) continue;
    const components = numbers.slice(length);
    hasColors ||= components.length >= 3;
    hasColorIndices ||= components.length === 1;
    const color = colors.add(components);
    while (3 * triangleColors.length < indices.length) triangleColors.push(color);
  }
  return {
    indices: indices.toTypedArray(),
    triangleColors: hasColors ? triangleColors.toTypedArray() : undefined,
    hasLines,
    hasColorIndices,
  };
}

/** Reads lines of numbers; comments and empty lines are skipped. */
class RowReader {
  readonly #bytes: Buffer;
  readonly #tokenizer: Tokenizer;
  #row: number[] = [];

  constructor(bytes: Buffer, offset: number) {
    // The tokenizer knows no lines that end with CR alone.
    this.#bytes = bytes.includes(NEWLINE)
      ? bytes
      : Buffer.from(bytes.map((byte) => (byte === RETURN ? NEWLINE : byte)));
    this.#tokenizer = new Tokenizer(this.#bytes, offset);
  }

  /** Returns the next line of numbers. It is valid until the next call. */
  next(): readonly number[] {
    this.#row.length = 0;
    while (this.#row.length === 0) {
      if (this.#tokenizer.isAtEnd) {
        throwUnreadable('truncated', 'The OFF has fewer lines than its header claims');
      }
      while (this.#tokenizer.hasTokenOnLine() && this.#bytes[this.#tokenizer.offset] !== HASH) {
        this.#row.push(this.#tokenizer.readNumber());
      }
      this.#tokenizer.skipLine();
    }
    return this.#row;
  }
}

function copyVector(
  row: readonly number[],
  start: number,
  { target, vertex }: { target: Float32Array; vertex: number },
): void {
  for (let axis = 0; axis < 3; axis++) {
    const value = row[start + axis];
    if (value === undefined || !Number.isFinite(value)) {
      throwUnreadable('not-finite', 'The OFF has a vertex whose coordinates are not three numbers');
    }
    target[3 * vertex + axis] = value;
  }
}

function assertVerticesExist(corners: readonly number[], length: number, vertexCount: number) {
  const exist = corners.every(
    (corner) => Number.isInteger(corner) && corner >= 0 && corner < vertexCount,
  );
  if (exist && corners.length === length) return;
  throwUnreadable('index', 'A face of the OFF refers to a vertex that does not exist');
}
