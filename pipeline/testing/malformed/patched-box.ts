import { makeGlb, makeUnpackedBox } from '../models.ts';

/** Changes to the JSON of a box, by path: `{ 'accessors.0.count': -1 }`. undefined removes a value. */
export type GltfPatch = Readonly<Record<string, unknown>>;

/** A change that makes a box invalid, and the reason of the expected problem. */
export type GltfPatchCase = [name: string, patch: GltfPatch, reason: string];

/** Makes a textured, animated box with changes to its JSON and its binary data. */
export function makePatchedBox(
  patch: GltfPatch,
  { patchBin }: { patchBin?: (bin: Buffer) => void } = {},
): Buffer {
  const model = makeUnpackedBox({ textured: true, spinning: true });
  for (const [path, value] of Object.entries(patch)) setAtPath(model.json, path.split('.'), value);
  patchBin?.(model.bin);
  return makeGlb(model);
}

function setAtPath(target: unknown, [key = '', ...rest]: string[], value: unknown): void {
  const object = target as Record<string, unknown>;
  if (rest.length === 0) object[key] = value;
  else {
    object[key] ??= {};
    setAtPath(object[key], rest, value);
  }
}
