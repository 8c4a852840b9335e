import type { Triangulator } from '../../src/validation/triangulation-cost.ts';
import { fbxDoubleArray, fbxInt32Array, makeBinaryFbxScene } from '../formats/binary-fbx.ts';
import { makeDae } from '../formats/dae.ts';
import { makeFbx } from '../formats/fbx.ts';
import { withIfcShape } from './ifc-shapes.ts';

type Corner = readonly [x: number, y: number];

/** Makes a file in which a polygon occurs `count` times, with the same vertices. */
export type MakePolygons = (corners: readonly Corner[], count: number) => Buffer;

type PolygonFile = { name: string; make: MakePolygons; triangulator: Triangulator };

/** Files of each format with polygons of any number of corners. */
export const POLYGON_FILES: readonly PolygonFile[] = [
  { name: 'OBJ', make: makePolygonObj, triangulator: 'earcut' },
  { name: 'PLY', make: makePolygonPly, triangulator: 'earcut' },
  { name: 'PLY, binary', make: makeBinaryPolygonPly, triangulator: 'earcut' },
  { name: 'OFF', make: makePolygonOff, triangulator: 'earcut' },
  { name: 'COLLADA', make: makePolygonDae, triangulator: 'assimp' },
  { name: 'COLLADA, elements', make: makePolygonElementsDae, triangulator: 'assimp' },
  { name: 'FBX', make: makePolygonFbx, triangulator: 'assimp' },
  { name: 'FBX, binary', make: makeBinaryPolygonFbx, triangulator: 'assimp' },
];

/** A star, which is easy to triangulate. */
export function makeStarCorners(count: number): Corner[] {
  return Array.from({ length: count }, (_, index) => {
    const angle = (index * 2 * Math.PI) / count;
    const radius = index % 2 === 0 ? 1 : 0.5;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
}

/** How many radians a spiral turns from one corner to the next, and how wide its band is. */
type Spiral = { turn: number; width: number };

/** The worst cases of the two that triangulate polygons. */
export const EARCUT_SPIRAL: Spiral = { turn: 0.5, width: 0.01 };
export const ASSIMP_SPIRAL: Spiral = { turn: 0.1, width: 0.3 };

/** A band along a spiral, from the inside to the outside and back. */
export function makeSpiralCorners(count: number, spiral: Spiral): Corner[] {
  const at = (index: number, width: number): Corner => {
    const turn = index * spiral.turn;
    return [(1 + width + turn) * Math.cos(turn), (1 + width + turn) * Math.sin(turn)];
  };
  const side = Array.from({ length: count / 2 }, (_, index) => index);
  const inner = side.map((index) => at(index, 0));
  return [...inner, ...side.reverse().map((index) => at(index, spiral.width))];
}

const range = (length: number, start = 0) => Array.from({ length }, (_, index) => index + start);
const toPositions = (corners: readonly Corner[]) => corners.map(([x, y]) => [x, y, 0]);
const toRow = (values: readonly number[]) => `${values.join(' ')}\n`;

export function makePolygonObj(corners: readonly Corner[], count: number): Buffer {
  const vertices = toPositions(corners).map((position) => `v ${toRow(position)}`);
  const face = `f ${toRow(range(corners.length, 1))}`;
  return Buffer.from(`o polygons\n${vertices.join('')}${face.repeat(count)}`);
}

function makePlyHeader(format: string, vertexCount: number, faceCount: number): string {
  const position = 'property float x\nproperty float y\nproperty float z\n';
  const face = `element face ${faceCount}\nproperty list int int vertex_indices\n`;
  return `ply\nformat ${format} 1.0\nelement vertex ${vertexCount}\n${position}${face}end_header\n`;
}

function makePolygonPly(corners: readonly Corner[], count: number): Buffer {
  const vertices = toPositions(corners).map(toRow);
  const face = toRow([corners.length, ...range(corners.length)]);
  const header = makePlyHeader('ascii', corners.length, count);
  return Buffer.from(`${header}${vertices.join('')}${face.repeat(count)}`);
}

function makeBinaryPolygonPly(corners: readonly Corner[], count: number): Buffer {
  const vertices = Buffer.from(Float32Array.from(toPositions(corners).flat()).buffer);
  const face = Buffer.from(Int32Array.of(corners.length, ...range(corners.length)).buffer);
  const header = makePlyHeader('binary_little_endian', corners.length, count);
  return Buffer.concat([Buffer.from(header), vertices, ...Array(count).fill(face)]);
}

function makePolygonOff(corners: readonly Corner[], count: number): Buffer {
  const vertices = toPositions(corners).map(toRow);
  const face = toRow([corners.length, ...range(corners.length)]);
  return Buffer.from(
    `OFF\n${corners.length} ${count} 0\n${vertices.join('')}${face.repeat(count)}`,
  );
}

function makeDaeWith(corners: readonly Corner[], primitive: string): Buffer {
  const positions = toPositions(corners).flat();
  const array = `<float_array id="positions-array" count="${positions.length}">${positions.join(' ')}</float_array>`;
  const text = makeDae()
    .toString()
    .replace(/<float_array id="positions-array"[^>]*>[^<]*<\/float_array>/, array)
    .replace(
      '<accessor source="#positions-array" count="8"',
      `<accessor source="#positions-array" count="${corners.length}"`,
    )
    .replace(/<polylist[\s\S]*<\/polylist>/, primitive);
  return Buffer.from(text);
}

const DAE_INPUT =
  '<input semantic="VERTEX" source="#vertices" offset="0"/><input semantic="TEXCOORD" source="#map" offset="1"/>';

/** The indices of two inputs. */
function makeDaeIndices(corners: readonly Corner[]): string {
  return range(corners.length)
    .map((index) => `${index} 0 `)
    .join('');
}

function makePolygonDae(corners: readonly Corner[], count: number): Buffer {
  const counts = `<vcount>${`${corners.length} `.repeat(count)}</vcount>`;
  const indices = `<p>${makeDaeIndices(corners).repeat(count)}</p>`;
  return makeDaeWith(
    corners,
    `<polylist count="${count}">${DAE_INPUT}${counts}${indices}</polylist>`,
  );
}

function makePolygonElementsDae(corners: readonly Corner[], count: number): Buffer {
  const polygons = `<p>${makeDaeIndices(corners)}</p>`.repeat(count);
  return makeDaeWith(corners, `<polygons count="${count}">${DAE_INPUT}${polygons}</polygons>`);
}

/** The last vertex of each polygon is negative. */
function makeFbxIndices(corners: readonly Corner[], count: number): number[] {
  const indices = [...range(corners.length - 1), -corners.length];
  return range(count).flatMap(() => indices);
}

function makePolygonFbx(corners: readonly Corner[], count: number): Buffer {
  const positions = toPositions(corners).flat();
  const indices = makeFbxIndices(corners, count);
  const array = (values: readonly number[]) => `*${values.length} {\na: ${values.join()}\n}`;
  const text = makeFbx()
    .toString()
    .replace(/Vertices: \*\d+ \{[^}]*\}/, `Vertices: ${array(positions)}`)
    .replace(/PolygonVertexIndex: \*\d+ \{[^}]*\}/, `PolygonVertexIndex: ${array(indices)}`)
    .replace(/UV: \*\d+ \{[^}]*\}/, `UV: ${array(indices.flatMap(() => [0, 0]))}`);
  return Buffer.from(text);
}

function makeBinaryPolygonFbx(corners: readonly Corner[], count: number): Buffer {
  return makeBinaryFbxScene(
    [2],
    [[2, 0]],
    [],
    [
      { name: 'Vertices', properties: [fbxDoubleArray(toPositions(corners).flat())] },
      { name: 'PolygonVertexIndex', properties: [fbxInt32Array(makeFbxIndices(corners, count))] },
    ],
  );
}

/** A wall with an outline of any number of corners, which several solids use. */
export function makeOutlineIfc(corners: readonly Corner[], solidCount = 1): Buffer {
  const firstId = 2000;
  const format = (value: number) => value.toFixed(4);
  const points = corners.map(
    ([x, y], index) => `#${firstId + index}=IFCCARTESIANPOINT((${format(x)},${format(y)}));`,
  );
  const ids = corners.map((_, index) => `#${firstId + index}`);
  const lines = [
    ...points,
    `#903=IFCPOLYLINE((${[...ids, ids[0]].join()}));`,
    '#904=IFCARBITRARYCLOSEDPROFILEDEF(.AREA.,$,#903);',
    ...range(solidCount, 905).map((id) => `#${id}=IFCEXTRUDEDAREASOLID(#904,#21,#60,3.);`),
  ];
  const solids = range(solidCount, 905).map((id) => `#${id}`);
  const ifc = withIfcShape(`${lines.join('\n')}\n`, 905).toString();
  return Buffer.from(ifc.replace("'CSG',(#905)", `'CSG',(${solids.join()})`));
}

/** The same, with the coordinates in a list. */
export function makeIndexedOutlineIfc(corners: readonly Corner[]): Buffer {
  const points = [...corners, corners[0] as Corner].map((point) =>
    point.map((value) => value.toFixed(4)).join(),
  );
  const lines = [
    `#902=IFCCARTESIANPOINTLIST2D((${points.map((point) => `(${point})`).join()}));`,
    '#903=IFCINDEXEDPOLYCURVE(#902,$,.F.);',
    '#904=IFCARBITRARYCLOSEDPROFILEDEF(.AREA.,$,#903);',
    '#905=IFCEXTRUDEDAREASOLID(#904,#21,#60,3.);\n',
  ];
  return withIfcShape(lines.join('\n'), 905);
}
