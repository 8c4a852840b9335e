import type { ProcessingWarning } from '@cloche/contract/design';
import { Problem } from '@cloche/contract/problem';
import { Document } from '@gltf-transform/core';
import {
  addPrimitive,
  createDefaultMaterial,
  DEFAULT_COLOR,
  srgbToLinear,
} from '../../mesh/add-primitive.ts';
import { createGrowableIndices } from '../../mesh/growable-array.ts';
import type { MeshGeometry } from '../../mesh/mesh-geometry.ts';
import { triangulatePolygon } from '../../mesh/triangulate.ts';
import {
  createRowReader,
  type PlyBodyElement,
  type PlyRowReader,
  readPlyBodyHeader,
} from './body.ts';
import { VERTEX_PROPERTIES } from './vertex-properties.ts';
import { collectPlyWarnings } from './warnings.ts';

const SH_C0 = 0.28209479177387814;

type Vertices = Omit<MeshGeometry, 'indices'>;

/** Reads PLY, ASCII or binary: a mesh, or points where the file has no faces. */
export function importPly(bytes: Buffer): { document: Document; warnings: ProcessingWarning[] } {
  const header = readPlyBodyHeader(bytes);
  const body = createRowReader(bytes, header);
  const warnings: ProcessingWarning[] = [
    {
      code: 'units.assumed',
      message: 'PLY files do not say their unit or which way is up: metres and Y up were assumed.',
    },
  ];
  let vertices: Vertices | undefined;
  let indices = new Uint32Array(0);
  for (const element of header.elements) {
    if (element.name === 'vertex') vertices = readVertices(body, element);
    else if (element.name === 'face' && vertices) indices = readFaces(body, element, vertices);
    else if (element.name === 'tristrips' && vertices)
      indices = readStrips(body, element, vertices);
    else skipElement(body, element);
  }
  if (!vertices || vertices.positions.length === 0) {
    throw new Problem('design.unreadable', { detail: 'The PLY has no vertices.' });
  }
  warnings.push(...collectPlyWarnings(header, indices));
  return { document: buildDocument({ ...vertices, indices }), warnings };
}

function buildDocument(geometry: MeshGeometry): Document {
  const document = new Document();
  const material = createDefaultMaterial(document, geometry.colors ? [1, 1, 1] : DEFAULT_COLOR);
  if (geometry.colors?.some((value, at) => at % 4 === 3 && value < 65535)) {
    material.setAlphaMode('BLEND');
  }
  const mesh = document.createMesh();
  addPrimitive(document, mesh, { geometry, material });
  document.createScene().addChild(document.createNode().setMesh(mesh));
  return document;
}

function readVertices(body: PlyRowReader, { count, properties }: PlyBodyElement): Vertices {
  const columns = (names: readonly (readonly string[])[]) => {
    const found = names.map((some) => properties.findIndex(({ name }) => some.includes(name)));
    return found.some((column, at) => column < 0 && at < 3) ? undefined : found;
  };
  const position = columns(VERTEX_PROPERTIES.position);
  if (!position) {
    throw new Problem('design.unreadable', {
      detail: 'The vertices of the PLY have no x, y and z.',
    });
  }
  const normal = columns(VERTEX_PROPERTIES.normal);
  const coordinate = columns(VERTEX_PROPERTIES.coordinate);
  const harmonic = columns(VERTEX_PROPERTIES.harmonic);
  const colour = columns(VERTEX_PROPERTIES.colour);
  const row = new Float64Array(properties.length);
  const vertices: Vertices = {
    positions: new Float32Array(3 * count),
    normals: normal && !harmonic ? new Float32Array(3 * count) : undefined,
    texCoords: coordinate && new Float32Array(2 * count),
    colors: (colour ?? harmonic) && new Uint16Array(4 * count).fill(65535),
  };
  const shade = colour ? createColorConverter(properties, colour) : sphericalHarmonicToColor;
  for (let vertex = 0; vertex < count; vertex++) {
    body.readRow(properties, row);
    copyVector(row, position, { to: vertices.positions, at: 3 * vertex });
    if (normal && vertices.normals)
      copyVector(row, normal, { to: vertices.normals, at: 3 * vertex });
    if (coordinate && vertices.texCoords) {
      vertices.texCoords[2 * vertex] = row[coordinate[0] as number] as number;
      // PLY counts from the bottom of the picture, glTF from its top.
      vertices.texCoords[2 * vertex + 1] = 1 - (row[coordinate[1] as number] as number);
    }
    for (const [channel, column] of (colour ?? harmonic ?? []).entries()) {
      if (column < 0 || !vertices.colors) continue;
      vertices.colors[4 * vertex + channel] = shade(row[column] as number, channel);
    }
  }
  return vertices;
}

type ToColorValue = (value: number, channel: number) => number;

/** Colours are bytes, or 16-bit numbers, or fractions: whatever the property's type says. */
function createColorConverter(
  properties: PlyBodyElement['properties'],
  columns: readonly number[],
): ToColorValue {
  const type = properties[columns[0] as number]?.type;
  const most = type === 'uchar' ? 255 : type === 'ushort' ? 65535 : 1;
  return (value, channel) => toLinearUint16(value / most, channel);
}

function sphericalHarmonicToColor(value: number, channel: number): number {
  return toLinearUint16(0.5 + SH_C0 * value, channel);
}

/** Light is linear, alpha is as it is. */
function toLinearUint16(value: number, channel: number): number {
  const within = Math.min(Math.max(value, 0), 1);
  return Math.round(65535 * (channel === 3 ? within : srgbToLinear(within)));
}

function copyVector(
  row: Float64Array,
  columns: readonly number[],
  { to, at }: { to: Float32Array; at: number },
): void {
  for (let axis = 0; axis < 3; axis++) {
    const value = row[columns[axis] as number] as number;
    if (!Number.isFinite(value)) {
      throw new Problem('design.unreadable', {
        detail: 'The PLY has a vertex that is not three numbers.',
      });
    }
    to[at + axis] = value;
  }
}

function findIndexList({ properties }: PlyBodyElement): number {
  return properties.findIndex(({ name, lengthType }) => lengthType && /^vertex_ind/.test(name));
}

function readFaces(
  body: PlyRowReader,
  element: PlyBodyElement,
  vertices: Vertices,
): Uint32Array<ArrayBuffer> {
  const list = findIndexList(element);
  const indices = createGrowableIndices();
  for (let face = 0; face < element.count; face++) {
    const corners = body.readList(element.properties, list);
    if (corners.length >= 3)
      triangulatePolygon(indices, assertIndicesInRange(corners, vertices), vertices.positions);
  }
  return indices.toTypedArray();
}

/** Strips of triangles, each turned against the one before; -1 begins a new strip. */
function readStrips(
  body: PlyRowReader,
  element: PlyBodyElement,
  vertices: Vertices,
): Uint32Array<ArrayBuffer> {
  const indices = createGrowableIndices();
  for (let row = 0; row < element.count; row++) {
    const strip = body.readList(element.properties, findIndexList(element));
    let start = 0;
    for (let at = 0; at < strip.length; at++) {
      if (strip[at] === -1) start = at + 1;
      if (at - start < 2) continue;
      const [a, b, c] = assertIndicesInRange(strip.slice(at - 2, at + 1), vertices) as [
        number,
        number,
        number,
      ];
      if ((at - start) % 2 === 0) indices.push3(a, b, c);
      else indices.push3(b, a, c);
    }
  }
  return indices.toTypedArray();
}

function assertIndicesInRange(corners: number[], { positions }: Vertices): number[] {
  if (corners.every((corner) => corner >= 0 && corner < positions.length / 3)) return corners;
  throw new Problem('design.unreadable', {
    detail: 'A face of the PLY names a vertex that is not there.',
  });
}

function skipElement(body: PlyRowReader, { count, properties }: PlyBodyElement): void {
  for (let row = 0; row < count; row++) body.readList(properties, -1);
}
