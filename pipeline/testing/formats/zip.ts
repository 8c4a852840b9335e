import { makeRawZip } from './raw-zip.ts';

/** Creates a zip archive from files by path. */
export function makeZip(files: { readonly [path: string]: Buffer | string }): Buffer {
  return makeRawZip(Object.entries(files).map(([name, bytes]) => ({ name, bytes })));
}
