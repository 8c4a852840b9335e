import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { en } from './en.ts';
import { formatDegrees, formatMegabytes, formatPercent, formatSeconds } from './format.ts';
import { fillPlaceholders, translate } from './translate.ts';
import { fillCount } from './translate-count.ts';

const VIEWER = join(import.meta.dirname, '../..');

/** Messages of programming errors, which visitors never see, media queries and CSS selectors. */
const NOT_FOR_VISITORS = [
  /new (?:Type)?Error\(\s*(?:'[^']*'|`[^`]*`)/g,
  // For the authors of host pages.
  /(?:new ViewerProblem|createArgumentProblem|readNumber)\((?:[^()]|\([^()]*\))*\)/g,
  /matchMedia\('[^']*'\)/g,
  /querySelector\('[^']*'\)/g,
];
/** Comments, and the shaders, which are template literals with braces at line ends. */
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;
const SHADER = /`[^`]*void main[^`]*`/g;
const STRING_LITERAL = /'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g;
const TWO_WORDS = /[A-Za-z]{2,} [A-Za-z]{2,}/;
/** A literal that visitors see, even if it is one word. */
const VISIBLE_ASSIGNMENT =
  /(?:\.(?:textContent|innerText|title|alt|placeholder|ariaLabel) = |'(?:aria-label|title|alt)', )(?:'[^']*\w[^']*'|`[^`]*`)/g;

async function* readSources(): AsyncGenerator<{ file: string; code: string }> {
  for await (const file of glob('src/**/*.ts', { cwd: VIEWER })) {
    // The API for host pages, in messages/, is in English.
    if (/\.(test|d)\.ts$|i18n[\\/]\w\w\.ts$|[\\/]messages[\\/]/.test(file)) continue;
    const source = await readFile(join(VIEWER, file), 'utf8');
    const code = [COMMENT, SHADER, ...NOT_FOR_VISITORS].reduce(
      (text, pattern) => text.replace(pattern, ''),
      source,
    );
    yield { file, code };
  }
}

describe('texts for visitors', () => {
  it('are not written in the source code', async () => {
    const found: string[] = [];
    for await (const { file, code } of readSources()) {
      const literals = (code.match(STRING_LITERAL) ?? []).filter((text) => TWO_WORDS.test(text));
      const texts = [...literals, ...(code.match(VISIBLE_ASSIGNMENT) ?? [])];
      found.push(...texts.map((text) => `${file}: ${text}`));
    }
    assert.deepEqual(found, []);
  });

  it('are not written in the template', async () => {
    const template = await readFile(join(VIEWER, 'page/framed-document.html'), 'utf8');
    const withoutSlots = template.replace(/\[\[[^\]]*\]\]|\{\{[#/]?\w+\}\}/g, '');
    assert.equal(withoutSlots.replace(/<[^>]*>/g, '').trim(), '');
    const attributes = /\b(?:aria-label|aria-roledescription|title|alt|placeholder)="[^"]+"/g;
    assert.deepEqual(withoutSlots.match(attributes), null);
  });

  it('are all used', async () => {
    const template = await readFile(join(VIEWER, 'page/framed-document.html'), 'utf8');
    let code = template;
    for await (const source of readSources()) code += source.code;
    const unused = Object.keys(en).filter(
      (key) =>
        !code.includes(`'${key}'`) &&
        !code.includes(`[[text:${key}]]`) &&
        // Composed keys: direction.<name>, error.<code>.title, .text and .advice.
        !/^direction\.\w+$|^error\.[\w-]+\.(title|text|advice)$/.test(key) &&
        // The server reads these from dist/i18n/en.json.
        !/^(errorPage|previewPage|sharePage|snippet)\./.test(key),
    );
    assert.deepEqual(unused, []);
  });
});

/** Tests have no document. Until the test ends, there is one in a language. */
function setDocumentLanguage(t: TestContext, lang: string, dir: string): void {
  Object.assign(globalThis, { document: { documentElement: { lang }, dir } });
  t.after(() => Reflect.deleteProperty(globalThis, 'document'));
}

describe('translate', () => {
  it('fills placeholders, which may occur more than once', () => {
    assert.equal(translate('hint.zoom', { key: 'Ctrl' }), 'Ctrl + scroll to zoom');
    assert.equal(fillPlaceholders('{a} {b} {a}', { a: 1, b: '$&' }), '1 $& 1');
  });

  it('chooses the plural form of the language', (t) => {
    const english = 'Found: {count, plural, one {# part} other {# parts}}.';
    const polish =
      '{count, plural, one {# część} few {# części} many {# elementów} other {# części}}';
    const fill = (text: string, count: number) => fillCount(text, count);
    assert.deepEqual(
      [0, 1, 2, 1234].map((count) => fill(english, count)),
      ['Found: 0 parts.', 'Found: 1 part.', 'Found: 2 parts.', 'Found: 1,234 parts.'],
    );
    setDocumentLanguage(t, 'pl', 'ltr');
    assert.deepEqual(
      [1, 3, 5, 22].map((count) => fill(polish, count)),
      ['1 część', '3 części', '5 elementów', '22 części'],
    );
    assert.equal(fill('{count, plural, other {#}}', 1), '1', 'a form that is missing is other');
  });

  it('writes numbers and units as in the language', (t) => {
    const write = () => [
      fillPlaceholders('{n}', { n: 1234.5 }),
      formatPercent(1.18),
      formatDegrees(16.4),
      formatSeconds(3.54),
      formatMegabytes(3_440_000),
    ];
    assert.deepEqual(write(), ['1,234.5', '118%', '16°', '3.5 sec', '3.4 MB']);
    setDocumentLanguage(t, 'de', 'ltr');
    assert.deepEqual(write(), ['1.234,5', '118\u00a0%', '16°', '3,5 Sek.', '3,4 MB']);
    setDocumentLanguage(t, 'ar', 'rtl');
    assert.match(write()[2] ?? '', /درجة/);
  });

  it('isolates names in a text from right to left', (t) => {
    const hostile = '\u202eabc';
    assert.equal(fillPlaceholders('<{name}>', { name: hostile }), `<${hostile}>`);
    setDocumentLanguage(t, 'ar', 'rtl');
    assert.equal(fillPlaceholders('<{name}>', { name: hostile }), `<\u2068${hostile}\u2069>`);
  });

  it('inserts parameters as they are, also when they contain placeholders', () => {
    assert.equal(fillPlaceholders('{a}', { a: '{b}', b: 'x' }), '{b}');
  });
});
