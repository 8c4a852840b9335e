import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readBuiltAssets } from '../http/read-built-assets.ts';
import type { StaticAsset } from '../http/static-asset.ts';

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

/** Reads `viewer/dist` into memory. @throws if the viewer was not built */
export async function readViewerBuild(folder: string): Promise<ViewerBuild> {
  const template = await readFile(join(folder, 'framed-document.html'), 'utf8');
  const { scriptHashes, styleHashes } = await readJson(join(folder, 'csp-hashes.json'));
  const messages = await readJson(join(folder, 'i18n/en.json'));
  const assets = await readBuiltAssets(join(folder, 'assets'));
  return { template, scriptHashes, styleHashes, assets, messages };
}

async function readJson(path: string) {
  return JSON.parse(await readFile(path, 'utf8'));
}
