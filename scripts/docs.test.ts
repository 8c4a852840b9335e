import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { problems } from '@cloche/contract/problem';
import { renderMarkdown } from '../server/src/docs/markdown.ts';
import {
  findBrokenLinks,
  findMissingPaths,
  findUnknownScripts,
  findUnknownVariables,
  listTableCodes,
  listWarningCodes,
} from './doc-rules.ts';
import { readSourceFiles, type SourceFiles } from './source-files.ts';

const ROOT = join(import.meta.dirname, '..');
/** The guides for users name files of the data directory, which are not part of the repository. */
const DEVELOPER_DOCUMENTS = ['*.md', 'docs/decisions/*.md'];

const documents = await readSourceFiles(ROOT, ['*.md', 'docs/**/*.md']);
const developerDocuments = await readSourceFiles(ROOT, DEVELOPER_DOCUMENTS);
const sources = new Map(
  [...(await readSourceFiles(ROOT, ['**/*.ts']))].filter(([path]) => !path.endsWith('.test.ts')),
);

const exists = (path: string) => existsSync(join(ROOT, path));
const listHeadingIds = (text: string) =>
  [...renderMarkdown(text, '').html.matchAll(/<h\d id="([^"]+)"/g)].map(([, id = '']) => id);

describe('the documentation', () => {
  it('names only files and directories that exist', () => {
    assert.deepEqual(findMissingPaths(developerDocuments, exists), []);
  });

  it('links only to files and headings that exist', () => {
    assert.deepEqual(findBrokenLinks(documents, exists, listHeadingIds), []);
  });

  for (const [language, file] of [
    ['nginx', 'deploy/nginx.conf'],
    ['ini', 'deploy/pgbouncer.ini'],
  ] as const)
    it(`contains ${file} as it is`, () => {
      const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
      const blocks = read('docs/scale.md').matchAll(/```(\w+)\n(.*?)```/gs);
      const [block] = [...blocks].filter(([, found]) => found === language);
      assert.equal(block?.[2], read(file));
    });

  it('names only scripts of package.json', () => {
    const { scripts } = readPackage('.');
    assert.deepEqual(findUnknownScripts(documents, Object.keys(scripts)), []);
  });

  it('names only environment variables of the code', () => {
    assert.deepEqual(findUnknownVariables(documents, sources), []);
  });

  it('lists every warning in docs/designs.md and no other', () => {
    const isProduct = (path: string) => /^(pipeline|server)\/src\//.test(path);
    const codes = listWarningCodes(new Map([...sources].filter(([path]) => isProduct(path))));
    const warnings = codes.filter((code) => !Object.hasOwn(problems, code));
    const documented = listTableCodes(documents.get('docs/designs.md') ?? '', 'Warnings');
    assert.deepEqual(documented.toSorted(), warnings.toSorted());
  });

  it('lists every dependency at run time in the decision about them', () => {
    const text = documents.get('docs/decisions/0001-dependencies-at-run-time.md') ?? '';
    const packages = ['.', 'contract', 'pipeline', 'server', 'viewer', 'console', 'sdk'].map(
      readPackage,
    );
    const names = packages.flatMap(({ dependencies, optionalDependencies }) =>
      Object.keys({ ...dependencies, ...optionalDependencies }),
    );
    const isListed = (name: string) => text.includes(`\`${name}\``);
    const isExternal = (name: string) => !/^@(cloche|types)\//.test(name);
    assert.deepEqual(
      names.filter((name) => isExternal(name) && !isListed(name)),
      [],
    );
  });

  it('is read completely', () => {
    assert.ok(documents.size > 15 && developerDocuments.size > 8, `${documents.size} documents`);
    assert.ok(listTableCodes(documents.get('docs/designs.md') ?? '', 'Warnings').length > 20);
  });
});

describe('the checker', () => {
  const toFiles = (text: string): SourceFiles => new Map([['docs/a.md', text]]);
  const missing = { exists: () => false, listHeadingIds: () => [] };

  for (const text of ['See `server/src/a.ts`.', '| `docs/b/` | |', '`http/a.ts` checks.']) {
    it(`finds a missing path in: ${text}`, () => {
      assert.equal(findMissingPaths(toFiles(text), missing.exists).length, 1);
    });
  }

  it('finds a path in the directory of the server', () => {
    const isInServer = (path: string) => path === 'server/src/http/a.ts';
    assert.deepEqual(findMissingPaths(toFiles('`http/a.ts`'), isInServer), []);
  });

  for (const text of ['`routes.ts`', '`/v1/designs`', '`model/obj`', '```sh\n`a/b.ts`\n```']) {
    it(`finds no path in: ${text}`, () => {
      assert.deepEqual(findMissingPaths(toFiles(text), missing.exists), []);
    });
  }

  it('finds broken links to files and headings', () => {
    const files: SourceFiles = new Map([
      ['docs/a.md', '[b](b.md) [x](b.md#x) [none](none.md) [y](#y) [z](../z.md) [web](https://b)'],
      ['docs/b.md', 'x'],
    ]);
    const broken = findBrokenLinks(
      files,
      (path) => files.has(path),
      (text) => [text],
    );
    assert.deepEqual(
      broken.map((line) => line.split(' ')[4]),
      ['none.md', '#y', '../z.md'],
    );
  });

  it('finds unknown scripts and variables', () => {
    const text = '`npm run demo`, `npm start`, `npm run none`, `CLOCHE_PORT`, `CLOCHE_NONE`';
    assert.equal(findUnknownScripts(toFiles(text), ['demo', 'start']).length, 1);
    assert.equal(findUnknownVariables(toFiles(text), toFiles("'CLOCHE_PORT'")).length, 1);
  });

  it('lists the codes of a table and of the source files', () => {
    const table = '## Warnings\n\n| Code | |\n|---|---|\n| `a.b`, `c.d` | `e.f` |\n\n## Next\n';
    assert.deepEqual(listTableCodes(table, 'Warnings'), ['a.b', 'c.d']);
    const source = "code: 'a.b'; ignoredWarning(\n'c.d', x); add('e.f'); file('g.png');";
    assert.deepEqual(listWarningCodes(toFiles(source)), ['a.b', 'c.d', 'e.f']);
  });
});

function readPackage(workspace: string) {
  const text = readFileSync(join(ROOT, workspace, 'package.json'), 'utf8');
  return JSON.parse(text) as {
    scripts: Record<string, string>;
    dependencies?: Record<string, string>;
    optionalDependencies?: Record<string, string>;
  };
}
