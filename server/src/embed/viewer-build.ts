import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createImmutableAsset, type StaticAsset } from '../http/static-asset.ts';

/** The built viewer: the template of the framed document, its CSP hashes, its files and its texts. */
export type ViewerBuild = {
  template: string;
  scriptHashes: readonly string[];
  styleHashes: readonly string[];
  /** By file name. */
  assets: ReadonlyMap<string, StaticAsset>;
  /** The texts that visitors read, by key. */
  messages: Readonly<Record<string, string>>;
};

const CONTENT_TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  wasm: 'application/wasm',
  webp: 'image/webp',
  bin: 'application/octet-stream',
};

/** Reads `viewer/dist` into memory. @throws if the viewer was not built */
export async function readViewerBuild(folder: string): Promise<ViewerBuild> {
  const template = await readFile(join(folder, 'framed-document.html'), 'utf8');
  const { scriptHashes, styleHashes } = await readJson(join(folder, 'csp-hashes.json'));
  const messages = await readJson(join(folder, 'i18n/en.json'));
  const assets = new Map<string, StaticAsset>();
  for (const name of await readdir(join(folder, 'assets'))) {
    const contentType = CONTENT_TYPES[name.split('.').at(-1) ?? ''];
    if (contentType === undefined) continue;
    const path = join(folder, 'assets', name);
    const [identity, br, gzip] = await Promise.all([
      readFile(path),
      readIfExists(`${path}.br`),
      readIfExists(`${path}.gz`),
    ]);
    assets.set(name, createImmutableAsset({ contentType, identity, br, gzip }));
  }
  return { template, scriptHashes, styleHashes, assets, messages };
}

async function readJson(path: string) {
  return JSON.parse(await readFile(path, 'utf8'));
}

function readIfExists(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
}
