import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { findLiteralTexts, findSentences } from '../../testing/find-literal-texts.ts';

const SOURCE_DIRECTORY = join(import.meta.dirname, '..');
/** Names, and what is typed in every language. */
const NOT_TRANSLATED = [
  'Cloche',
  '· Cloche',
  ', Node',
  'cloche_pk_…',
  'cloche_sk_…',
  '#rrggbb',
  'auto',
];
/** The code that owners paste, and a selector. */
const WITHOUT_TEXTS = ['embed/embed-code.ts', 'design/find-invalid-option.ts'];

test('all texts that components show are in the catalogue', async () => {
  const found = await findIn('**/*.tsx', findLiteralTexts);
  const isText = (place: string) => !NOT_TRANSLATED.includes(place.replace(/^.*?: /, ''));
  assert.deepEqual(found.filter(isText), []);
});

test('sentences of other code are in the catalogue', async () => {
  const found = await findIn('**/*.ts', findSentences);
  const isText = (place: string) => !WITHOUT_TEXTS.some((file) => place.startsWith(file));
  assert.deepEqual(found.filter(isText), []);
});

/** Finds texts in the sources: `file:line: text`. */
async function findIn(pattern: string, find: (source: string) => string[]): Promise<string[]> {
  const found: string[] = [];
  let fileCount = 0;
  for await (const file of glob(pattern, { cwd: SOURCE_DIRECTORY })) {
    if (/^i18n|\.test\.ts$/.test(file)) continue;
    fileCount += 1;
    const texts = find(await readFile(join(SOURCE_DIRECTORY, file), 'utf8'));
    found.push(...texts.map((text) => `${file}:${text}`));
  }
  assert.ok(fileCount > 60, `only ${fileCount} files`);
  return found;
}

test('literal texts are found', () => {
  // `#{` stands for the beginning of an expression.
  const cases: [source: string, ...texts: string[]][] = [
    ['<p>Sign in</p>', 'Sign in'],
    ['<p>{count} designs</p>', 'designs'],
    ["<p>{isOpen ? 'open' : texts.closed}</p>", 'open'],
    ["<p>{name || 'no name'}</p>", 'no name'],
    ['<p>{`#{count} designs`}</p>', 'designs'],
    ["<p>{'Hello ' + name}</p>", 'Hello'],
    ['<>{isOpen && "open"}</>', 'open'],
    ['<img alt="A chair" />', 'A chair'],
    ["<i aria-label={a ? `Pause #{name}` : 'Stop'} />", 'Pause', 'Stop'],
    ['<Field label="Name" />', 'Name'],
    ["<p className='card'>{texts.a} · {f('x')} {state === 'x' && texts.b}</p>"],
  ];
  for (const [source, ...texts] of cases) {
    const expected = texts.map((text) => `1: ${text}`);
    assert.deepEqual(
      findLiteralTexts(`const a = ${source.replaceAll('#', '$')};`),
      expected,
      source,
    );
  }
  const code =
    "const a = 'not long ago'; if (b) throw new Error('There is no b.');\nf(`#{b} minutes`);";
  assert.deepEqual(findSentences(code.replaceAll('#', '$')), ['1: not long ago', '2: minutes']);
});
