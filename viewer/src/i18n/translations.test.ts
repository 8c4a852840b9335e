import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LANGUAGES } from '@cloche/contract/viewer-options';
import { en } from './en.ts';
import { translations } from './translations.ts';

/** Names of keys and signs. */
const SAME_IN_ALL_LANGUAGES: readonly string[] = [
  '⌘',
  'Ctrl',
  'R',
  '?',
  'Esc',
  '{time} / {duration}',
];
/** Words that a language has in common with English. */
const SAME_AS_ENGLISH: Readonly<Record<string, readonly string[]>> = {
  de: ['Zoom {percent}', 'Original', 'Animation {number}', 'Touch'],
  fr: ['Animation {number}', 'Animations', 'Variante'],
  it: ['Mouse', 'Zoom'],
  pt: ['Mouse', 'Zoom'],
  nl: ['Variant {number}', 'Variant: {name}'],
};

/** The plural forms that a language needs for numbers below 1000. */
function listPluralCategories(language: string): string[] {
  const rules = new Intl.PluralRules(language);
  return [...new Set(Array.from({ length: 1000 }, (_, count) => rules.select(count)))].sort();
}

const listPlaceholders = (text: string) =>
  [...new Set([...text.matchAll(/\{(\w+)(?:\}|, plural,)/g)].map(([, name]) => name))].sort();

for (const language of LANGUAGES.filter((tag) => tag !== 'en')) {
  const texts = translations[language];
  const entries = Object.entries(en).map(([key, text]) => [key, text, texts[key] ?? ''] as const);

  describe(`the texts in ${language}`, () => {
    it('are those of en.ts, in the same order', () => {
      assert.deepEqual(Object.keys(texts), Object.keys(en));
    });

    it('are not empty, and not English', () => {
      const allowed = [...SAME_IN_ALL_LANGUAGES, ...(SAME_AS_ENGLISH[language] ?? [])];
      const untranslated = entries.filter(
        ([, english, text]) =>
          text.trim() === '' || (text === english && !allowed.includes(english)),
      );
      assert.deepEqual(untranslated, []);
    });

    it('have the placeholders of the English texts, and the plural forms of the language', () => {
      const different = entries.filter(
        ([, english, text]) => listPlaceholders(text).join() !== listPlaceholders(english).join(),
      );
      assert.deepEqual(different, []);
      for (const [key, , text] of entries) {
        const forms = /\{\w+, plural,((?: \w+ \{[^}]*\})+)\}/.exec(text)?.[1];
        if (forms === undefined) {
          assert.doesNotMatch(text, /plural/, key);
          continue;
        }
        const categories = [...forms.matchAll(/ (\w+) \{/g)].map(([, category]) => category);
        const needed = new Set([...listPluralCategories(language), 'other']);
        assert.deepEqual(categories.sort(), [...needed].sort(), key);
      }
    });
  });
}
