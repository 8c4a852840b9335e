import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LANGUAGES, type Language } from '@cloche/contract/viewer-options';
import { readBuiltAssets } from '../http/read-built-assets.ts';
import type { StaticAsset } from '../http/static-asset.ts';

/** What the built viewer has once for each language. */
export type LocalizedViewer = {
  /** The template of the framed document. */
  template: string;
  /** The texts that visitors read, by key. */
  messages: Readonly<Record<string, string>>;
};

/** The built viewer: the template of the framed document, its CSP hashes, its files and its texts. */
export type ViewerBuild = {
  languages: Readonly<Record<Language, LocalizedViewer>>;
  scriptHashes: readonly string[];
  styleHashes: readonly string[];
  /** By file name. */
  assets: ReadonlyMap<string, StaticAsset>;
};

/** Reads `viewer/dist` into memory. @throws if the viewer was not built */
export async function readViewerBuild(folder: string): Promise<ViewerBuild> {
  const { scriptHashes, styleHashes } = await readJson(join(folder, 'csp-hashes.json'));
  const assets = await readBuiltAssets(join(folder, 'assets'));
  const entries = LANGUAGES.map(async (language) => [
    language,
    await readLocalizedViewer(folder, language),
  ]);
  const languages = Object.fromEntries(await Promise.all(entries));
  return { languages, scriptHashes, styleHashes, assets };
}

async function readLocalizedViewer(folder: string, language: Language): Promise<LocalizedViewer> {
  const file = language === 'en' ? 'framed-document.html' : `framed-document.${language}.html`;
  return {
    template: await readFile(join(folder, file), 'utf8'),
    messages: await readJson(join(folder, `i18n/${language}.json`)),
  };
}

async function readJson(path: string) {
  return JSON.parse(await readFile(path, 'utf8'));
}
