import type { GLTF } from '@gltf-transform/core';

type JsonObject = { [key: string]: unknown };

/** What these members mean when they are absent. */
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

/** Members of nodes, materials, lights … whose numbers are single floats wherever they are read. */
const SINGLE_PRECISION_LISTS = ['nodes', 'materials', 'cameras', 'extensions', 'meshes'] as const;

/** Drops from the JSON what says nothing, and digits that no single-precision float has. */
export function stripDefaults(json: GLTF.IGLTF): void {
  const root = json as unknown as JsonObject;
  for (const list of [...Object.keys(root)]) {
    if (list === 'extras' || list === 'asset') continue;
    root[list] = stripValue(
      root[list],
      (SINGLE_PRECISION_LISTS as readonly string[]).includes(list),
    );
    if (isEmpty(root[list])) delete root[list];
  }
  for (const primitive of json.meshes?.flatMap((mesh) => mesh.primitives) ?? []) {
    if (primitive.targets?.length === 0) delete (primitive as Partial<typeof primitive>).targets;
  }
}

function stripValue(value: unknown, round: boolean): unknown {
  if (typeof value === 'number') return round ? roundToSinglePrecision(value) : value;
  if (Array.isArray(value)) return value.map((item) => stripValue(item, round));
  if (typeof value !== 'object' || value === null) return value;
  const tidied: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (key in GLTF_DEFAULTS && GLTF_DEFAULTS[key] === member) continue;
    tidied[key] = key === 'extras' ? member : stripValue(member, round);
  }
  return tidied;
}

/** Seven digits: half a unit in the last place of a single float. */
function roundToSinglePrecision(value: number): number {
  if (Number.isInteger(value)) return value;
  const short = Number(value.toPrecision(7));
  return Object.is(short, -0) ? 0 : short;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
