import { type BoxOptions, makeGlb, makeUnpackedBox } from '../models.ts';

/** What to change in a textured, turning box: `{ 'accessors.0.count': -1 }`; undefined removes. */
export type GltfPatch = Readonly<Record<string, unknown>>;

/** One way to spoil a box, and the reason it must be refused for. */
export type GltfPatchCase = [name: string, patch: GltfPatch, reason: string];

type PatchedBoxOptions = BoxOptions & { patchBin?: (bin: Buffer) => Buffer | undefined };

/** A box with something wrong in its JSON, or in its binary data. */
export function makePatchedBox(
  patch: GltfPatch,
  { patchBin: change, ...options }: PatchedBoxOptions = {},
): Buffer {
  const model = makeUnpackedBox({ textured: true, spinning: true, ...options });
  for (const [path, value] of Object.entries(patch)) setAtPath(model.json, path.split('.'), value);
  return makeGlb({ json: model.json, bin: change?.(model.bin) ?? model.bin });
}

function setAtPath(target: unknown, [key = '', ...rest]: string[], value: unknown): void {
  const object = target as Record<string, unknown>;
  if (rest.length === 0) object[key] = value;
  else {
    object[key] ??= {};
    setAtPath(object[key], rest, value);
  }
}
