import type { GLTF } from '@gltf-transform/core';

type JsonObject = { [key: string]: unknown };

/** glTF's default values of members. */
const GLTF_DEFAULTS: Record<string, unknown> = {
  mode: 4,
  interpolation: 'LINEAR',
  byteOffset: 0,
  normalized: false,
  texCoord: 0,
  doubleSided: false,
  alphaMode: 'OPAQUE',
  wrapS: 10497,
  wrapT: 10497,
};

/** Top-level members of glTF whose numbers readers store in single precision. */
const SINGLE_PRECISION_MEMBERS: readonly string[] = [
  'nodes',
  'materials',
  'cameras',
  'extensions',
  'meshes',
];

/** Removes default values, empty members, and digits beyond single precision from the JSON. */
export function minifyGltfJson(json: GLTF.IGLTF): void {
  const root = json as unknown as JsonObject;
  for (const name of Object.keys(root)) {
    if (name === 'extras' || name === 'asset') continue;
    root[name] = minifyValue(root[name], SINGLE_PRECISION_MEMBERS.includes(name));
    if (isEmpty(root[name])) delete root[name];
  }
  for (const primitive of json.meshes?.flatMap((mesh) => mesh.primitives) ?? []) {
    if (primitive.targets?.length === 0) delete (primitive as Partial<typeof primitive>).targets;
  }
}

function minifyValue(value: unknown, isSinglePrecision: boolean): unknown {
  if (typeof value === 'number') return isSinglePrecision ? roundToSinglePrecision(value) : value;
  if (Array.isArray(value)) return value.map((item) => minifyValue(item, isSinglePrecision));
  if (typeof value !== 'object' || value === null) return value;
  const stripped: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (key in GLTF_DEFAULTS && GLTF_DEFAULTS[key] === member) continue;
    stripped[key] = key === 'extras' ? member : minifyValue(member, isSinglePrecision);
  }
  return stripped;
}

/**
 * Rounds to seven significant digits, the precision of a single-precision float, or to a thousandth: of
 * nodes that are far from the origin, the viewer adds up the transforms in double precision.
 */
function roundToSinglePrecision(value: number): number {
  if (Number.isInteger(value)) return value;
  if (Math.abs(value) >= 10_000) return Math.round(value * 1000) / 1000;
  const rounded = Number(value.toPrecision(7));
  return Object.is(rounded, -0) ? 0 : rounded;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
