import { type BoxOptions, makeGlb, makeUnpackedBox } from '../models.ts';

/** Changes to a textured, animated box: `{ 'accessors.0.count': -1 }`. undefined removes. */
export type GltfPatch = Readonly<Record<string, unknown>>;

/** A change that makes a box invalid, and the reason of the expected problem. */
export type GltfPatchCase = [name: string, patch: GltfPatch, reason: string];

type PatchedBoxOptions = BoxOptions & { patchBin?: (bin: Buffer) => Buffer | undefined };

/** Makes a box with changed JSON or binary data. */
export function makePatchedBox(
  patch: GltfPatch,
  { patchBin, ...options }: PatchedBoxOptions = {},
): Buffer {
  const model = makeUnpackedBox({ textured: true, spinning: true, ...options });
  for (const [path, value] of Object.entries(patch)) setAtPath(model.json, path.split('.'), value);
  return makeGlb({ json: model.json, bin: patchBin?.(model.bin) ?? model.bin });
}

function setAtPath(target: unknown, [key = '', ...rest]: string[], value: unknown): void {
  const object = target as Record<string, unknown>;
  if (rest.length === 0) object[key] = value;
  else {
    object[key] ??= {};
    setAtPath(object[key], rest, value);
  }
}
