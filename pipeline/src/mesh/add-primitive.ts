import type { Document, Material, Mesh, Primitive, vec3 } from '@gltf-transform/core';
import { computeCreasedNormals } from './crease-normals.ts';
import type { MeshGeometry } from './mesh-geometry.ts';

/** How a format's lengths and axes stand to metres with Y up. */
export type CoordinateSystem = { metersPerUnit: number; upAxis: 'y' | 'z' };

/** Roughness of what says nothing about its gloss: neither mirror nor chalk. */
export const DEFAULT_ROUGHNESS = 0.6;

/** Turns a point of a frame into metres with Y up. */
export function toGltfPoint(
  [x, y, z]: Readonly<vec3>,
  { metersPerUnit, upAxis }: CoordinateSystem,
): vec3 {
  return upAxis === 'y'
    ? [x * metersPerUnit, y * metersPerUnit, z * metersPerUnit]
    : [x * metersPerUnit, z * metersPerUnit, -y * metersPerUnit];
}

/** Turns positions and normals, in place, into metres with Y up. */
export function toGltfSpace(geometry: MeshGeometry, frame: CoordinateSystem): MeshGeometry {
  transformTriples(geometry.positions, frame);
  if (geometry.normals) transformTriples(geometry.normals, { ...frame, metersPerUnit: 1 });
  return geometry;
}

function transformTriples(
  triples: Float32Array,
  { metersPerUnit, upAxis }: CoordinateSystem,
): void {
  for (let at = 0; at < triples.length; at += 3) {
    const y = (triples[at + 1] as number) * metersPerUnit;
    const z = (triples[at + 2] as number) * metersPerUnit;
    triples[at] = (triples[at] as number) * metersPerUnit;
    triples[at + 1] = upAxis === 'y' ? y : z;
    triples[at + 2] = upAxis === 'y' ? z : -y;
  }
}

/**
 * A material that is neither metal nor mirror. The colour is linear. Seen from both sides: formats
 * that do not speak of sides hold open surfaces, and closed ones inside out.
 */
export function createDefaultMaterial(
  document: Document,
  colour: Readonly<vec3>,
  name = '',
): Material {
  return document
    .createMaterial(name)
    .setBaseColorFactor([...colour, 1])
    .setMetallicFactor(0)
    .setRoughnessFactor(DEFAULT_ROUGHNESS)
    .setDoubleSided(true);
}

/** What a thing without any colour is painted: a light grey that shows its shape. */
export const DEFAULT_COLOR: Readonly<vec3> = [0.6, 0.6, 0.6];

/** Adds a geometry to a mesh; normals that are missing are computed. Without indices: points. */
export function addPrimitive(
  document: Document,
  mesh: Mesh,
  { geometry, material }: { geometry: MeshGeometry; material: Material | null },
): Primitive {
  const isPoints = geometry.indices.length === 0;
  const { positions, normals, colors, texCoords, indices } =
    isPoints || geometry.normals ? geometry : computeCreasedNormals(geometry);
  const buffer = document.getRoot().listBuffers()[0] ?? document.createBuffer();
  const attribute = (
    type: 'VEC2' | 'VEC3' | 'VEC4',
    array: Float32Array<ArrayBuffer> | Uint16Array<ArrayBuffer>,
  ) =>
    document
      .createAccessor()
      .setType(type)
      .setArray(array)
      .setNormalized(array instanceof Uint16Array)
      .setBuffer(buffer);
  const primitive = document
    .createPrimitive()
    .setMaterial(material)
    .setAttribute('POSITION', attribute('VEC3', positions));
  if (normals) primitive.setAttribute('NORMAL', attribute('VEC3', normalizeNormals(normals)));
  if (colors) primitive.setAttribute('COLOR_0', attribute('VEC4', colors));
  if (texCoords) primitive.setAttribute('TEXCOORD_0', attribute('VEC2', texCoords));
  if (isPoints) primitive.setMode(0);
  else primitive.setIndices(document.createAccessor().setArray(indices).setBuffer(buffer));
  mesh.addPrimitive(primitive);
  return primitive;
}

/** Files hold normals of any length, and of none. */
function normalizeNormals(normals: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer> {
  for (let at = 0; at < normals.length; at += 3) {
    const [x, y, z] = [normals[at] as number, normals[at + 1] as number, normals[at + 2] as number];
    const length = Math.hypot(x, y, z);
    const isSound = length > 0 && Number.isFinite(length);
    normals[at] = isSound ? x / length : 0;
    normals[at + 1] = isSound ? y / length : 1;
    normals[at + 2] = isSound ? z / length : 0;
  }
  return normals;
}

/** From the curve that screens and files use (sRGB) to light that can be added up. */
export function srgbToLinear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/** Three sRGB values from 0 to 1 as linear light, within bounds. */
export function toLinearColor([red = 0, green = 0, blue = 0]: readonly number[]): vec3 {
  const linear = (value: number) => srgbToLinear(Math.min(Math.max(value, 0), 1));
  return [linear(red), linear(green), linear(blue)];
}
