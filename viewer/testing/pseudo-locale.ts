/**
 * A language for tests: English with accents and brackets, and 40 % longer. It shows texts that are not
 * translated, and layouts that have no place for longer texts.
 */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { en, type MessageKey } from '../src/i18n/en.ts';

const VIEWER = join(import.meta.dirname, '..');
const ACCENTS: Readonly<Record<string, string>> = {
  ...{ a: 'å', c: 'ç', e: 'é', i: 'î', n: 'ñ', o: 'ö', s: 'š', u: 'û', y: 'ý' },
  ...{ A: 'Å', C: 'Ç', E: 'É', I: 'Î', N: 'Ñ', O: 'Ö', S: 'Š', U: 'Û', Y: 'Ý' },
};
const PLACEHOLDER = /(\{\w+\})/;
const PLURAL = /^\{\w+, plural,/;

/** Words are as long as in English, and there are more of them; a single word gets longer. */
function toPseudoText(text: string): string {
  if (PLURAL.test(text))
    return text.replace(/other \{([^}]*)\}/, (_, form) => `other {${toPseudoText(form)}}`);
  const accented = text
    .split(PLACEHOLDER)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/\w/g, (c) => ACCENTS[c] ?? c)))
    .join('');
  const padding = 'öñé '
    .repeat(Math.ceil((text.length * 0.4) / 4))
    .slice(0, Math.ceil(text.length * 0.4));
  return `[${accented}${text.includes(' ') ? ' ' : ''}${padding.trimEnd()}]`;
}

/** All texts in this language, by key. */
export const pseudoMessages = Object.fromEntries(
  Object.entries(en).map(([key, text]) => [key, toPseudoText(text)]),
) as Record<MessageKey, string>;

/** Copies the built viewer, with the English texts of the framed document and its scripts in this language. */
export async function writePseudoDist(dist: string): Promise<void> {
  await cp(join(VIEWER, 'dist'), dist, { recursive: true });
  const pageFile = join(dist, 'framed-document.html');
  const page = await readFile(pageFile, 'utf8');
  await writeFile(pageFile, await translatePage(page));
  const [, messages = ''] = /\/(messages-en-\w+\.json)"/.exec(page) ?? [];
  const messagesFile = join(dist, 'assets', messages);
  await writeFile(messagesFile, translateJson(await readFile(messagesFile, 'utf8')));
}

async function translatePage(page: string): Promise<string> {
  const template = await readFile(join(VIEWER, 'page/framed-document.html'), 'utf8');
  const slots = template.matchAll(/([>"])\[\[text:([\w.-]+)\]\]([<"])/g);
  let translated = page;
  for (const [, start, key, end] of slots) {
    const [from, to] = [en, pseudoMessages].map((texts) => start + texts[key as MessageKey] + end);
    translated = translated.replaceAll(from as string, () => to as string);
  }
  return translated.replace(
    /(?<=<script type="application\/json" id="messages"[^>]*>).*?(?=<\/script>)/,
    translateJson,
  );
}

function translateJson(json: string): string {
  const keys = Object.keys(JSON.parse(json)) as MessageKey[];
  return JSON.stringify(Object.fromEntries(keys.map((key) => [key, pseudoMessages[key]])));
}
