import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCrossOriginAsset, type StaticAsset } from '../http/static-asset.ts';

/** The built scripts of the SDK, by file name. */
export type SdkBuild = ReadonlyMap<string, StaticAsset>;

/** For a script tag, and for `import`. */
const SCRIPTS = ['cloche.js', 'cloche.mjs'];

/** Reads `sdk/dist` into memory. @throws if the SDK was not built */
export async function readSdkBuild(folder: string): Promise<SdkBuild> {
  const scripts = SCRIPTS.map(async (name) => {
    const [identity, br, gzip] = await Promise.all(
      ['', '.br', '.gz'].map((suffix) => readFile(join(folder, 'assets', name + suffix))),
    );
    if (identity === undefined) throw new Error(`${name} was not read.`);
    const contentType = 'text/javascript; charset=utf-8';
    return [name, createCrossOriginAsset({ contentType, identity, br, gzip })] as const;
  });
  return new Map(await Promise.all(scripts));
}
