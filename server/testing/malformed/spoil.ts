import { type BoxOptions, describeBox, makeGlb } from '../models.ts';

/** What to change in a textured, turning box: `{ 'accessors.0.count': -1 }`; undefined removes. */
export type Patch = Readonly<Record<string, unknown>>;

/** One way to spoil a box, and the reason it must be refused for. */
export type Row = [name: string, patch: Patch, reason: string];

type Spoilt = BoxOptions & { bin?: (bin: Buffer) => Buffer | undefined };

/** A box with something wrong in its JSON, or in its binary data. */
export function spoil(patch: Patch, { bin: change, ...options }: Spoilt = {}): Buffer {
  const model = describeBox({ textured: true, spinning: true, ...options });
  for (const [path, value] of Object.entries(patch)) put(model.json, path.split('.'), value);
  return makeGlb({ json: model.json, bin: change?.(model.bin) ?? model.bin });
}

function put(target: unknown, [key = '', ...rest]: string[], value: unknown): void {
  const object = target as Record<string, unknown>;
  if (rest.length === 0) object[key] = value;
  else {
    object[key] ??= {};
    put(object[key], rest, value);
  }
}
