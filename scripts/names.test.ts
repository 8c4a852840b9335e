import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { findDuplicateExports, findForbiddenWords } from './name-rules.ts';
import { readSourceFiles } from './source-files.ts';

const ROOT = join(import.meta.dirname, '..');
/** These files contain the forbidden words as data. */
const OWN_FILES = ['scripts/name-rules.ts', 'scripts/names.test.ts'];

const files = await readSourceFiles(ROOT, ['**/*.{ts,tsx}', '**/*.md']);

describe('names and prose', () => {
  it('each exported name is declared in one file', () => {
    assert.deepEqual(findDuplicateExports(files), []);
  });

  it('no forbidden word in a name, a comment, a text or the documentation', () => {
    const checked = [...files].filter(([path]) => !OWN_FILES.includes(path));
    assert.deepEqual(findForbiddenWords(new Map(checked)), []);
  });

  it('all files are read', () => assert.ok(files.size > 500, `${files.size} files`));
});

describe('the checker', () => {
  const find = (check: typeof findForbiddenWords, sources: Record<string, string>) =>
    check(new Map(Object.entries(sources)));

  it('finds a name that two files export', () => {
    const duplicate = {
      'server/src/tokens/scope.ts': 'export type Scope = string;',
      'viewer/src/scene/scope.ts': 'export class Scope {}',
    };
    assert.deepEqual(find(findDuplicateExports, duplicate), [
      'Scope: server/src/tokens/scope.ts, viewer/src/scene/scope.ts',
    ]);
  });

  it('allows a schema and its type, re-exports, and exports of tests', () => {
    const allowed = {
      'contract/src/token.ts': 'export const Token = 1;\nexport type Token = typeof Token;',
      'contract/src/index.ts': "export { Token } from './token.ts';",
      'server/src/token.test.ts': 'export type Token = string;',
    };
    assert.deepEqual(find(findDuplicateExports, allowed), []);
  });

  for (const line of [
    'const wish = 1;',
    'const lastWish = 1;',
    'const MAX_WISHES = 1;',
    '// Whoever asks is told.',
    'The file lies on the shelf.',
    'export type Ground = string;',
    "it('the maker stops', () => {});",
  ]) {
    it(`finds a forbidden word in: ${line}`, () => {
      assert.equal(find(findForbiddenWords, { 'a.ts': line }).length, 1);
    });
  }

  it('allows words that contain a forbidden word', () => {
    const line = 'const attendance = recommend(newsletter, ground, upcoming);';
    assert.deepEqual(find(findForbiddenWords, { 'a.ts': line }), []);
  });
});
