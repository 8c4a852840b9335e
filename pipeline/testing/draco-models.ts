/** Geometries that are compressed with Draco to compare sizes. Lengths in meters. */
import { Document, Logger } from '@gltf-transform/core';
import { KHRDracoMeshCompression } from '@gltf-transform/extensions';
import { normals } from '@gltf-transform/functions';
import draco3d from 'draco3dgltf';
import { MeshoptSimplifier } from 'meshoptimizer';
import { createGltfIo } from '../src/formats/gltf/gltf-io.ts';

type Point = [x: number, y: number, z: number];
/** `uvs` need a texture, because those that nothing uses are dropped. */
type Geometry = { positions: Float32Array; indices: Uint32Array; uvs?: Float32Array };
type GeometryOptions = { hasNormals?: boolean; texture?: Uint8Array<ArrayBuffer> };

/** Compresses the geometry of a document with Draco and its default settings. */
export async function encodeWithDraco(document: Document): Promise<Uint8Array<ArrayBuffer>> {
  document.setLogger(new Logger(Logger.Verbosity.SILENT));
  document.createExtension(KHRDracoMeshCompression).setRequired(true);
  const io = await createGltfIo();
  io.registerDependencies({ 'draco3d.encoder': await draco3d.createEncoderModule() });
  return io.writeBinary(document);
}

/** Creates a document with one mesh. Its normals are smooth. */
export async function createGeometryDocument(
  { positions, indices, uvs }: Geometry,
  { hasNormals = false, texture }: GeometryOptions = {},
): Promise<Document> {
  const document = new Document().setLogger(new Logger(Logger.Verbosity.SILENT));
  const buffer = document.createBuffer();
  const toAccessor = (array: Float32Array | Uint32Array) =>
    document.createAccessor().setArray(array.slice()).setBuffer(buffer);
  const material = document.createMaterial('');
  const primitive = document
    .createPrimitive()
    .setMaterial(material)
    .setAttribute('POSITION', toAccessor(positions).setType('VEC3'))
    .setIndices(toAccessor(indices));
  if (uvs && texture) {
    const image = document.createTexture('').setImage(texture).setMimeType('image/png');
    primitive.setAttribute('TEXCOORD_0', toAccessor(uvs).setType('VEC2'));
    material.setBaseColorTexture(image);
  }
  const mesh = document.createMesh().addPrimitive(primitive);
  document.createScene().addChild(document.createNode('Mesh').setMesh(mesh));
  if (hasNormals) {
    const smooth = toAccessor(computeSmoothNormals(positions, indices)).setType('VEC3');
    primitive.setAttribute('NORMAL', smooth);
  }
  return document;
}

/** Gives each triangle its own normal. */
export async function createFlatDocument(geometry: Geometry): Promise<Document> {
  const document = await createGeometryDocument(geometry);
  await document.transform(normals());
  return document;
}

/** Creates a grid of 2 × columns × rows triangles on a surface. */
export function createGrid(
  [columns, rows]: [number, number],
  toPoint: (u: number, v: number) => Point,
): Geometry {
  const width = columns + 1;
  const count = width * (rows + 1);
  const uvs = new Float32Array(2 * count);
  const positions = new Float32Array(3 * count);
  for (let index = 0; index < count; index++) {
    const [u, v] = [(index % width) / columns, Math.floor(index / width) / rows];
    uvs.set([u, v], 2 * index);
    positions.set(toPoint(u, v), 3 * index);
  }
  const indices = Uint32Array.from({ length: 6 * columns * rows }, (_, corner) => {
    const square = Math.floor(corner / 6);
    const origin = (square % columns) + Math.floor(square / columns) * width;
    return origin + ([0, width, 1, 1, width, width + 1][corner % 6] as number);
  });
  return { positions, indices, uvs };
}

/** Simplifies a geometry, so that its triangles are as irregular as those of a scan. */
export async function makeIrregular(source: Geometry, triangles: number): Promise<Geometry> {
  await MeshoptSimplifier.ready;
  const { positions, indices } = source;
  const [simplified] = MeshoptSimplifier.simplify(indices, positions, 3, 3 * triangles, 1);
  const [remap, count] = MeshoptSimplifier.compactMesh(simplified);
  const compact = new Float32Array(3 * count);
  for (const [vertex, target] of remap.entries()) {
    if (target < count) compact.set(positions.subarray(3 * vertex, 3 * vertex + 3), 3 * target);
  }
  return { positions: compact, indices: simplified.slice() };
}

/** Creates rings with hard edges, each with a fillet, as a CAD program does. */
export function createRings(side: number, sides: number): Geometry {
  const positions: number[] = [];
  const indices: number[] = [];
  const addBand = (center: Point, [low, high]: [Point, Point]) => {
    const first = positions.length / 3;
    for (let index = 0; index <= sides; index++) {
      const angle = (2 * Math.PI * index) / sides;
      for (const [radius, height] of [low, high]) {
        const [x, z] = [radius * Math.cos(angle), radius * Math.sin(angle)];
        positions.push(center[0] + x, height, center[2] + z);
      }
    }
    for (let index = first; index < first + 2 * sides; index += 2)
      indices.push(index, index + 1, index + 2, index + 2, index + 1, index + 3);
  };
  for (let ring = 0; ring < side ** 2; ring++) {
    const center: Point = [0.31 * (ring % side), 0, 0.31 * Math.floor(ring / side)];
    const [radius, height] = [0.08 + 0.01 * (ring % 4), 0.05 + 0.02 * (ring % 5)];
    const profile = Array.from({ length: 7 }, (_, step): Point => {
      const angle = (step / 6) * (Math.PI / 2);
      return [radius + 0.02 * (1 - Math.sin(angle)), 0.02 * (1 - Math.cos(angle)), 0];
    });
    profile.push([radius, height, 0], [0.6 * radius, height, 0], [0.6 * radius, 0, 0]);
    for (let step = 1; step < profile.length; step++)
      addBand(center, [profile[step - 1] as Point, profile[step] as Point]);
  }
  return { positions: Float32Array.from(positions), indices: Uint32Array.from(indices) };
}

/** Height of a landscape between -1 and 1: waves of six sizes, whose phases look like noise. */
export function computeHeight(x: number, z: number): number {
  let height = 0;
  for (let octave = 0; octave < 6; octave++) {
    const [scale, turn] = [5 * 1.9 ** octave, 1.3 * octave];
    const [a, b] = [
      Math.cos(turn) * x + Math.sin(turn) * z,
      Math.cos(turn) * z - Math.sin(turn) * x,
    ];
    height +=
      Math.sin(scale * a + 7 * turn) *
      Math.sin(scale * b + 3 * Math.sin(2 * a)) *
      0.5 ** (octave + 1);
  }
  return height;
}

/** Noise between -0.5 and 0.5, always the same for a point. */
export function computeNoise(u: number, v: number): number {
  const value = 43758.5453 * Math.sin(127.1 * u + 311.7 * v);
  return value - Math.floor(value) - 0.5;
}

function computeSmoothNormals(positions: Float32Array, indices: Uint32Array): Float32Array {
  const sums = new Float32Array(positions.length);
  const read = (vertex: number) => positions.subarray(3 * vertex, 3 * vertex + 3);
  for (let corner = 0; corner < indices.length; corner += 3) {
    const [a = 0, b = 0, c = 0] = indices.subarray(corner, corner + 3);
    const [origin, second, third] = [read(a), read(b), read(c)];
    const toEdge = (end: Float32Array) => end.map((value, axis) => value - (origin[axis] ?? 0));
    const [ux = 0, uy = 0, uz = 0] = toEdge(second);
    const [vx = 0, vy = 0, vz = 0] = toEdge(third);
    const normal = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    for (const vertex of [a, b, c])
      for (const axis of [0, 1, 2])
        sums[3 * vertex + axis] = (sums[3 * vertex + axis] ?? 0) + (normal[axis] ?? 0);
  }
  for (let start = 0; start < sums.length; start += 3) {
    const length = Math.hypot(...sums.subarray(start, start + 3)) || 1;
    for (const axis of [0, 1, 2]) sums[start + axis] = (sums[start + axis] ?? 0) / length;
  }
  return sums;
}
