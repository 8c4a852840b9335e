import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  createNotices,
  findMissingDecisions,
  NOTICES_FILE,
  readLockPackages,
} from './third-party-notices.ts';
import { listBundledPackages, listProductionPackages } from './third-party-packages.ts';

const packages = readLockPackages();

describe('THIRD-PARTY-NOTICES.md', () => {
  const text = readFileSync(NOTICES_FILE, 'utf8');

  it('is what scripts/third-party-notices.ts writes', () => {
    assert.equal(createNotices(packages), text, 'Run node scripts/third-party-notices.ts');
  });

  it('names the source code of every package that is not under a permissive license', () => {
    assert.deepEqual(findMissingDecisions(packages), []);
    assert.match(text, /`occt-import-js` \| [\d.]+ \| LGPL-2\.1 \| https:\/\/github\.com\//);
    assert.match(text, /`web-ifc` \| [\d.]+ \| MPL-2\.0 \| https:\/\/github\.com\//);
  });

  it('has the license of what browsers load', () => {
    for (const name of ['three', 'tus-js-client']) {
      const [, section = ''] = text.split(`### ${name} `);
      assert.match(section.split('###')[0] ?? '', /copyright/i, name);
    }
  });
});

describe('the generator', () => {
  it('reports a package whose license needs a decision', () => {
    const added = { version: '1.0.0', license: 'GPL-3.0-only' };
    const missing = findMissingDecisions({ ...packages, 'node_modules/added': added });
    assert.deepEqual(missing, ['added (GPL-3.0-only) has no entry in SOURCES']);
    const undeclared = findMissingDecisions({ ...packages, 'node_modules/added': {} });
    assert.deepEqual(undeclared, ['added (unknown) has no entry in SOURCES']);
  });

  it('reports an entry for a package that is not installed any more', () => {
    const { 'node_modules/web-ifc': _, ...others } = packages;
    assert.deepEqual(findMissingDecisions(others), [
      'SOURCES names web-ifc, which is not installed',
    ]);
  });

  it('lists nested packages, and no development tools, links and types', () => {
    const lock = {
      viewer: { dependencies: { a: '1', '@cloche/contract': '1', '@types/a': '1' } },
      contract: { dependencies: { b: '1' } },
      'node_modules/@cloche/contract': { link: true },
      'node_modules/a': { version: '1', license: 'MIT', dependencies: { b: '2' } },
      'node_modules/a/node_modules/b': { version: '2', license: 'MIT' },
      'node_modules/b': { version: '1', license: 'ISC' },
      'node_modules/@types/a': { version: '1', license: 'MIT' },
      'node_modules/tool': { version: '1', license: 'GPL-3.0', dev: true },
    };
    const format = (list: { name: string; version: string }[]) =>
      list.map(({ name, version }) => `${name}@${version}`);
    assert.deepEqual(format(listBundledPackages(lock, ['viewer'])).toSorted(), [
      'a@1',
      'b@1',
      'b@2',
    ]);
    assert.deepEqual(format(listProductionPackages(lock)), ['@types/a@1', 'a@1', 'b@1', 'b@2']);
  });
});
