import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Language } from '@cloche/contract/viewer-options';
import { en, type MessageKey } from '../src/i18n/en.ts';
import type { BundledScripts } from './scripts.ts';

/** The keys of the texts of the scripts. */
export type ScriptMessages = {
  /** For the document: also those of errors, because a lost connection is one. */
  first: MessageKey[];
  /** For a file that is loaded with the deferred scripts. */
  deferred: MessageKey[];
};

type Messages = Partial<Record<MessageKey, string>>;

/**
 * Texts that the scripts for the first frame show only if the service can still be reached: then they are loaded with the
 * deferred texts.
 */
const LOADED_WHEN_SHOWN =
  /^(?:refused\.\w+\.advice|error\.(?:grant-expired|refused|unavailable|no-webgl|invalid-file|unsupported-extension|missing-resource|empty-scene|context-lost)\..*)$/;

/** Finds which texts the scripts for the first frame use, and which only the others. */
export async function findScriptMessages(
  assets: string,
  { entry }: BundledScripts,
  boot: string,
): Promise<ScriptMessages> {
  const readScript = (file: string) => readFile(join(assets, file), 'utf8');
  const files = (await readdir(assets)).filter((file) => file.endsWith('.js'));
  const early = findMessageKeys(`${boot}\n${await readScript(entry)}`);
  const first = early.filter((key) => !LOADED_WHEN_SHOWN.test(key));
  const otherScripts = await Promise.all(files.filter((file) => file !== entry).map(readScript));
  const others = new Set([...early, ...findMessageKeys(otherScripts.join('\n'))]);
  const deferred = (Object.keys(en) as MessageKey[]).filter(
    (key) => others.has(key) && !first.includes(key),
  );
  return { first, deferred };
}

/** The start of a key that a script composes: `error.${code}.title`. */
const COMPOSED_KEY_PREFIX = /`([\w-]+\.[\w.-]*)\$\{/g;

/** Returns the keys of the texts that a script uses, in the order of `en.ts`. */
function findMessageKeys(script: string): MessageKey[] {
  const prefixes = [...script.matchAll(COMPOSED_KEY_PREFIX)].map(([, prefix]) => prefix as string);
  const keys = Object.keys(en) as MessageKey[];
  return keys.filter(
    (key) =>
      ['"', "'", '`'].some((quote) => script.includes(quote + key + quote)) ||
      prefixes.some((prefix) => key.startsWith(prefix)),
  );
}

/** Returns the texts of some keys. */
export function pickMessages(messages: Messages, keys: readonly MessageKey[]): Messages {
  return Object.fromEntries(keys.map((key) => [key, messages[key]]));
}

/** Writes the file with the deferred texts of a language. Returns its name, which changes with its content. */
export async function writeDeferredMessages(
  assets: string,
  language: Language,
  messages: Messages,
): Promise<string> {
  const json = JSON.stringify(messages);
  const hash = createHash('sha256').update(json).digest('hex').slice(0, 8).toUpperCase();
  const file = `messages-${language}-${hash}.json`;
  await writeFile(join(assets, file), json);
  return file;
}
