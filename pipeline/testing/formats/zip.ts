import { makeRawZip } from './raw-zip.ts';

/** Creates a zip archive from files by path, deflated unless `stored`. */
export function makeZip(
  files: { readonly [path: string]: Buffer | string },
  { stored = false }: { stored?: boolean } = {},
): Buffer {
  return makeRawZip(Object.entries(files).map(([name, bytes]) => ({ name, bytes, stored })));
}
