import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { en } from '../src/i18n/en.ts';
import { composePage, toCspHash } from './compose-page.ts';
import { type BundledScripts, bundleBootScript, bundleScripts, minifyCss } from './scripts.ts';

const VIEWER = join(import.meta.dirname, '..');

/**
 * Builds the viewer into a folder: the template of the framed document, the hashes of its inline script
 * and style for the Content-Security-Policy, its texts, and the files that it loads.
 */
export async function writeDist(dist: string, entry = 'src/main.ts'): Promise<BundledScripts> {
  await rm(dist, { recursive: true, force: true });
  await mkdir(join(dist, 'assets'), { recursive: true });

  const template = await readFile(join(VIEWER, 'page/framed-document.html'), 'utf8');
  const scripts = await bundleScripts(VIEWER, join(dist, 'assets'), entry);
  const boot = await bundleBootScript(VIEWER, scripts);
  const firstStyle = await readStyle('page/first-paint.css', 'page/messages.css');
  const style = await readStyle('page/framed-document.css');
  const page = composePage({ template, firstStyle, style, boot, scripts });
  await writeFile(join(dist, 'framed-document.html'), page);
  const hashes = {
    scriptHashes: [toCspHash(boot)],
    styleHashes: [toCspHash(firstStyle), toCspHash(style)],
  };
  await writeJson(join(dist, 'csp-hashes.json'), hashes);

  await mkdir(join(dist, 'i18n'), { recursive: true });
  await writeJson(join(dist, 'i18n/en.json'), en);
  return scripts;
}

async function readStyle(...files: string[]): Promise<string> {
  const texts = await Promise.all(files.map((file) => readFile(join(VIEWER, file), 'utf8')));
  return minifyCss(texts.join('\n'));
}

function writeJson(path: string, value: object): Promise<void> {
  return writeFile(path, `${JSON.stringify(value, undefined, 2)}\n`);
}
