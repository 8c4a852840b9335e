import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createImmutableAsset, type StaticAsset } from './static-asset.ts';

const CONTENT_TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  wasm: 'application/wasm',
  webp: 'image/webp',
  bin: 'application/octet-stream',
};

/** Reads a folder of built files, whose names change with their content, into memory. Returns them by name. */
export async function readBuiltAssets(folder: string): Promise<ReadonlyMap<string, StaticAsset>> {
  const assets = new Map<string, StaticAsset>();
  for (const name of await readdir(folder)) {
    const contentType = CONTENT_TYPES[name.split('.').at(-1) ?? ''];
    if (contentType === undefined) continue;
    const path = join(folder, name);
    const [identity, br, gzip] = await Promise.all([
      readFile(path),
      readIfExists(`${path}.br`),
      readIfExists(`${path}.gz`),
    ]);
    assets.set(name, createImmutableAsset({ contentType, identity, br, gzip }));
  }
  return assets;
}

function readIfExists(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
}
