import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readBuiltAssets } from '../http/read-built-assets.ts';
import type { StaticAsset } from '../http/static-asset.ts';

/** The built owner's page and its files, by name. */
export type ConsoleBuild = { page: string; assets: ReadonlyMap<string, StaticAsset> };

/** Reads `console/dist` into memory. @throws if the console was not built */
export async function readConsoleBuild(folder: string): Promise<ConsoleBuild> {
  const page = await readFile(join(folder, 'index.html'), 'utf8');
  return { page, assets: await readBuiltAssets(join(folder, 'assets')) };
}
