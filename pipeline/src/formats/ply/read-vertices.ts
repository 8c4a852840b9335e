import { Problem } from '@cloche/contract/problem';
import { clamp01, srgbToLinear } from '../../mesh/color.ts';
import type { MeshGeometry } from '../../mesh/mesh-geometry.ts';
import type { PlyElement, PlyProperty } from './header.ts';
import type { PlyRowReader } from './row-reader.ts';
import { VERTEX_PROPERTIES } from './vertex-properties.ts';

/** A mesh without its triangles. */
export type Vertices = Omit<MeshGeometry, 'indices'>;

/** The value of the constant spherical harmonic. */
const SH_C0 = 0.28209479177387814;

type Columns = readonly number[];
/** Copies an attribute of the current row to this vertex. */
type WriteVertex = (vertex: number) => void;
type ToColorValue = (value: number, channel: number) => number;

/** Reads the `vertex` element. The normals of Gaussian splats are placeholders and are ignored. */
export function readVertices(reader: PlyRowReader, { count, properties }: PlyElement): Vertices {
  const position = findColumns(properties, VERTEX_PROPERTIES.position);
  if (!position) {
    throw new Problem('design.unreadable', {
      detail: 'The vertices of the PLY have no x, y and z.',
    });
  }
  const row = new Float64Array(properties.length);
  const writers: WriteVertex[] = [];
  const addVectors = (columns: Columns, copy: typeof copyPosition) => {
    const vectors = new Float32Array(3 * count);
    writers.push((vertex) => copy(row, columns, { target: vectors, offset: 3 * vertex }));
    return vectors;
  };
  const addTexCoords = ([u = 0, v = 1]: Columns) => {
    const texCoords = new Float32Array(2 * count);
    writers.push((vertex) => {
      texCoords[2 * vertex] = toFinite(row[u] as number);
      // In PLY v is 0 at the bottom of the image, in glTF at the top.
      texCoords[2 * vertex + 1] = 1 - toFinite(row[v] as number);
    });
    return texCoords;
  };
  const addColors = (columns: Columns, toColorValue: ToColorValue) => {
    const colors = new Uint16Array(4 * count).fill(65535);
    writers.push((vertex) => {
      for (const [channel, column] of columns.entries()) {
        if (column < 0) continue;
        colors[4 * vertex + channel] = toColorValue(row[column] as number, channel);
      }
    });
    return colors;
  };

  const harmonic = findColumns(properties, VERTEX_PROPERTIES.harmonic);
  const normal = harmonic ? undefined : findColumns(properties, VERTEX_PROPERTIES.normal);
  const texCoord = findColumns(properties, VERTEX_PROPERTIES.texCoord);
  const color = findColumns(properties, VERTEX_PROPERTIES.color);
  const vertices: Vertices = {
    positions: addVectors(position, copyPosition),
    normals: normal && addVectors(normal, copyNormal),
    texCoords: texCoord && addTexCoords(texCoord),
    colors: color
      ? addColors(color, createColorConverter(properties, color))
      : harmonic && addColors(harmonic, harmonicToColor),
  };
  for (let vertex = 0; vertex < count; vertex++) {
    reader.readRow(properties, row);
    for (const write of writers) write(vertex);
  }
  return vertices;
}

/** Finds the column of each component; undefined if one is missing. A fourth (alpha) is optional. */
function findColumns(
  properties: readonly PlyProperty[],
  components: readonly (readonly string[])[],
): Columns | undefined {
  const columns = components.map((names) =>
    properties.findIndex(({ name }) => names.includes(name)),
  );
  return columns.slice(0, 3).includes(-1) ? undefined : columns;
}

/** Colors are bytes, 16-bit integers or numbers from 0 to 1, depending on the type of the property. */
function createColorConverter(properties: readonly PlyProperty[], columns: Columns): ToColorValue {
  const type = properties[columns[0] as number]?.type;
  const maximum = type?.kind === 'unsigned' && type.bytes < 4 ? 2 ** (8 * type.bytes) - 1 : 1;
  return (value, channel) => toLinearUint16(value / maximum, channel);
}

function harmonicToColor(value: number, channel: number): number {
  return toLinearUint16(0.5 + SH_C0 * value, channel);
}

/** Converts an sRGB component to a linear one; alpha (channel 3) is linear already. */
function toLinearUint16(value: number, channel: number): number {
  const clamped = clamp01(value);
  return Math.round(65535 * (channel === 3 ? clamped : srgbToLinear(clamped)));
}

type VectorTarget = { target: Float32Array; offset: number };

function copyPosition(row: Float64Array, columns: Columns, { target, offset }: VectorTarget): void {
  for (let axis = 0; axis < 3; axis++) {
    const value = row[columns[axis] as number] as number;
    if (!Number.isFinite(value)) {
      throw new Problem('design.unreadable', {
        detail: 'The PLY has a vertex whose coordinates are not three numbers.',
      });
    }
    target[offset + axis] = value;
  }
}

/** A point of a scan without neighbors has no normal. */
function copyNormal(row: Float64Array, columns: Columns, { target, offset }: VectorTarget): void {
  for (let axis = 0; axis < 3; axis++)
    target[offset + axis] = toFinite(row[columns[axis] as number] as number);
}

const toFinite = (value: number) => (Number.isFinite(value) ? value : 0);
