import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readBuiltAssets } from '../http/read-built-assets.ts';
import type { StaticAsset } from '../http/static-asset.ts';

/** The built console, and the scripts of the documentation. */
export type ConsoleBuild = {
  page: string;
  /** The URLs of the scripts of the documentation. */
  docsScripts: { docs: string; api: string; examples: string; speed: string };
  /** The modules of the React example, as one script. */
  reactModule: string;
  /** By file name. */
  assets: ReadonlyMap<string, StaticAsset>;
};

/** Reads `console/dist` into memory. @throws if the console was not built */
export async function readConsoleBuild(folder: string): Promise<ConsoleBuild> {
  const page = await readFile(join(folder, 'index.html'), 'utf8');
  const docsScripts = JSON.parse(await readFile(join(folder, 'scripts.json'), 'utf8'));
  const reactModule = await readFile(join(folder, 'react.mjs'), 'utf8');
  return { page, docsScripts, reactModule, assets: await readBuiltAssets(join(folder, 'assets')) };
}
