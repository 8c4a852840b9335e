import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { en } from './en.ts';
import { fillPlaceholders, translate } from './translate.ts';

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
    if (/\.(test|d)\.ts$|i18n[\\/]\w\w\.ts$/.test(file)) continue;
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
    const withoutSlots = template.replace(/\[\[[^\]]*\]\]|\{\{\w+\}\}/g, '');
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
        !/^(errorPage|previewPage|snippet)\./.test(key),
    );
    assert.deepEqual(unused, []);
  });
});

describe('translate', () => {
  it('fills placeholders, which may occur more than once', () => {
    assert.equal(translate('hint.zoom', { key: 'Ctrl' }), 'Ctrl + scroll to zoom');
    assert.equal(fillPlaceholders('{a} {b} {a}', { a: 1, b: '$&' }), '1 $& 1');
  });

  it('inserts parameters as they are, also when they contain placeholders', () => {
    assert.equal(fillPlaceholders('{a}', { a: '{b}', b: 'x' }), '{b}');
  });
});
