import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LANGUAGES, type Language } from '@cloche/contract/viewer-options';
import { getMessages } from '../src/i18n/translations.ts';
import { composePage, toCspHash } from './compose-page.ts';
import { minifyCss } from './minify-css.ts';
import { findScriptMessages, pickMessages, writeDeferredMessages } from './script-messages.ts';
import {
  type BundledScripts,
  bundleBootScript,
  bundleInlineScript,
  bundleScripts,
} from './scripts.ts';

const VIEWER = join(import.meta.dirname, '..');

/**
 * Builds the viewer into a folder: the template of the framed document in each language, the hashes of its
 * inline script and style for the Content-Security-Policy, all texts, and the files that it loads.
 */
export async function writeDist(dist: string, entry = 'src/main.ts'): Promise<BundledScripts> {
  await rm(dist, { recursive: true, force: true });
  await mkdir(join(dist, 'assets'), { recursive: true });

  const template = await readFile(join(VIEWER, 'page/framed-document.html'), 'utf8');
  const scripts = await bundleScripts(VIEWER, join(dist, 'assets'), entry);
  const showSent = await bundleInlineScript(VIEWER, 'src/show-sent-document.ts');
  const boot = await bundleBootScript(VIEWER, scripts);
  const clickToLoad = {
    style: await readStyle('page/click-to-load.css'),
    script: await bundleInlineScript(VIEWER, 'src/click-to-load.ts'),
  };
  const firstStyle = await readStyle('page/first-paint.css', 'page/messages.css');
  const style = await readStyle('page/framed-document.css');
  const themeStyle = await readStyle('page/themes.css');
  const keys = await findScriptMessages(join(dist, 'assets'), scripts, boot);
  await mkdir(join(dist, 'i18n'), { recursive: true });
  for (const language of LANGUAGES) {
    const messages = getMessages(language);
    const page = composePage({
      template,
      firstStyle,
      themeStyle,
      style,
      showSent,
      boot,
      clickToLoad,
      scripts,
      language,
      scriptMessages: pickMessages(messages, keys.first),
      deferredMessages: await writeDeferredMessages(
        join(dist, 'assets'),
        language,
        pickMessages(messages, keys.deferred),
      ),
    });
    await writeFile(join(dist, getTemplateFile(language)), page);
    await writeJson(join(dist, `i18n/${language}.json`), messages);
  }
  const hashes = {
    scriptHashes: [showSent, boot, clickToLoad.script].map(toCspHash),
    styleHashes: [firstStyle, themeStyle, style, clickToLoad.style].map(toCspHash),
  };
  await writeJson(join(dist, 'csp-hashes.json'), hashes);
  return scripts;
}

/** The name of the file with the template of the framed document. */
function getTemplateFile(language: Language): string {
  return language === 'en' ? 'framed-document.html' : `framed-document.${language}.html`;
}

async function readStyle(...files: string[]): Promise<string> {
  const texts = await Promise.all(files.map((file) => readFile(join(VIEWER, file), 'utf8')));
  return minifyCss(texts.join('\n'));
}

function writeJson(path: string, value: object): Promise<void> {
  return writeFile(path, `${JSON.stringify(value, undefined, 2)}\n`);
}
