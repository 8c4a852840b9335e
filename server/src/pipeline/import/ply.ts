import { Problem } from '@cloche/contract/problem';
import { Document } from '@gltf-transform/core';
import type { Warning } from '../report.ts';
import type { Geometry } from './geometry.ts';
import { growingIndices } from './grow.ts';
import { type Body, type Element, openBody, readPlyHeader } from './ply-body.ts';
import { COLUMNS } from './ply-columns.ts';
import { tellPly } from './ply-unread.ts';
import { addPolygon } from './polygon.ts';
import { addPrimitive, GREY, plainMaterial, toLinear } from './scene.ts';

const HARMONIC = 0.28209479177387814;

type Vertices = Omit<Geometry, 'indices'>;

/** Reads PLY, ASCII or binary: a mesh, or points where the file has no faces. */
export function readPly(bytes: Buffer): { document: Document; warnings: Warning[] } {
  const header = readPlyHeader(bytes);
  const body = openBody(bytes, header);
  const warnings: Warning[] = [
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
    else skip(body, element);
  }
  if (!vertices || vertices.positions.length === 0) {
    throw new Problem('design.unreadable', { detail: 'The PLY has no vertices.' });
  }
  warnings.push(...tellPly(header, indices));
  return { document: build({ ...vertices, indices }), warnings };
}

function build(geometry: Geometry): Document {
  const document = new Document();
  const material = plainMaterial(document, geometry.colours ? [1, 1, 1] : GREY);
  if (geometry.colours?.some((value, at) => at % 4 === 3 && value < 65535)) {
    material.setAlphaMode('BLEND');
  }
  const mesh = document.createMesh();
  addPrimitive(document, mesh, { geometry, material });
  document.createScene().addChild(document.createNode().setMesh(mesh));
  return document;
}

function readVertices(body: Body, { count, properties }: Element): Vertices {
  const columns = (names: readonly (readonly string[])[]) => {
    const found = names.map((some) => properties.findIndex(({ name }) => some.includes(name)));
    return found.some((column, at) => column < 0 && at < 3) ? undefined : found;
  };
  const position = columns(COLUMNS.position);
  if (!position) {
    throw new Problem('design.unreadable', {
      detail: 'The vertices of the PLY have no x, y and z.',
    });
  }
  const normal = columns(COLUMNS.normal);
  const coordinate = columns(COLUMNS.coordinate);
  const harmonic = columns(COLUMNS.harmonic);
  const colour = columns(COLUMNS.colour);
  const row = new Float64Array(properties.length);
  const vertices: Vertices = {
    positions: new Float32Array(3 * count),
    normals: normal && !harmonic ? new Float32Array(3 * count) : undefined,
    coordinates: coordinate && new Float32Array(2 * count),
    colours: (colour ?? harmonic) && new Uint16Array(4 * count).fill(65535),
  };
  const shade = colour ? shadeOf(properties, colour) : harmonicShade;
  for (let vertex = 0; vertex < count; vertex++) {
    body.readRow(properties, row);
    copy(row, position, { to: vertices.positions, at: 3 * vertex });
    if (normal && vertices.normals) copy(row, normal, { to: vertices.normals, at: 3 * vertex });
    if (coordinate && vertices.coordinates) {
      vertices.coordinates[2 * vertex] = row[coordinate[0] as number] as number;
      // PLY counts from the bottom of the picture, glTF from its top.
      vertices.coordinates[2 * vertex + 1] = 1 - (row[coordinate[1] as number] as number);
    }
    for (const [channel, column] of (colour ?? harmonic ?? []).entries()) {
      if (column < 0 || !vertices.colours) continue;
      vertices.colours[4 * vertex + channel] = shade(row[column] as number, channel);
    }
  }
  return vertices;
}

type Shade = (value: number, channel: number) => number;

/** Colours are bytes, or 16-bit numbers, or fractions: whatever the property's type says. */
function shadeOf(properties: Element['properties'], columns: readonly number[]): Shade {
  const type = properties[columns[0] as number]?.type;
  const most = type === 'uchar' ? 255 : type === 'ushort' ? 65535 : 1;
  return (value, channel) => shadeTo(value / most, channel);
}

function harmonicShade(value: number, channel: number): number {
  return shadeTo(0.5 + HARMONIC * value, channel);
}

/** Light is linear, alpha is as it is. */
function shadeTo(value: number, channel: number): number {
  const within = Math.min(Math.max(value, 0), 1);
  return Math.round(65535 * (channel === 3 ? within : toLinear(within)));
}

function copy(
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

function listOf({ properties }: Element): number {
  return properties.findIndex(({ name, length }) => length && /^vertex_ind/.test(name));
}

function readFaces(body: Body, element: Element, vertices: Vertices): Uint32Array<ArrayBuffer> {
  const list = listOf(element);
  const indices = growingIndices();
  for (let face = 0; face < element.count; face++) {
    const corners = body.readLists(element.properties, list);
    if (corners.length >= 3) addPolygon(indices, checked(corners, vertices), vertices.positions);
  }
  return indices.done();
}

/** Strips of triangles, each turned against the one before; -1 begins a new strip. */
function readStrips(body: Body, element: Element, vertices: Vertices): Uint32Array<ArrayBuffer> {
  const indices = growingIndices();
  for (let row = 0; row < element.count; row++) {
    const strip = body.readLists(element.properties, listOf(element));
    let start = 0;
    for (let at = 0; at < strip.length; at++) {
      if (strip[at] === -1) start = at + 1;
      if (at - start < 2) continue;
      const [a, b, c] = checked(strip.slice(at - 2, at + 1), vertices) as [number, number, number];
      if ((at - start) % 2 === 0) indices.push3(a, b, c);
      else indices.push3(b, a, c);
    }
  }
  return indices.done();
}

function checked(corners: number[], { positions }: Vertices): number[] {
  if (corners.every((corner) => corner >= 0 && corner < positions.length / 3)) return corners;
  throw new Problem('design.unreadable', {
    detail: 'A face of the PLY names a vertex that is not there.',
  });
}

function skip(body: Body, { count, properties }: Element): void {
  for (let row = 0; row < count; row++) body.readLists(properties, -1);
}
