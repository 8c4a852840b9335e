import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { toReleaseImports } from './release-package.ts';
import { createSbom } from './release-sbom.ts';
import { type LockPackages, listProductionPackages } from './third-party-packages.ts';

const LOCK_FILE = join(import.meta.dirname, '../package-lock.json');

describe('the imports of a release', () => {
  const cases: [name: string, source: string, expected: string][] = [
    ['a file', "import { a } from './a.ts';", "import { a } from './a.js';"],
    ['a path', "join(FOLDER, 'worker/main.ts')", "join(FOLDER, 'worker/main.js')"],
    [
      'another workspace',
      "import { Problem } from '@cloche/contract/problem';",
      "import { Problem } from '../../../contract/src/problem.js';",
    ],
    [
      'a file in a folder of a workspace',
      "import.meta.resolve('@cloche/pipeline/sandbox/limits')",
      "import.meta.resolve('../../../pipeline/src/sandbox/limits.js')",
    ],
    ['a file of types', "path('./a.d.ts')", "path('./a.d.ts')"],
    ['another package', "import fastify from 'fastify';", "import fastify from 'fastify';"],
  ];
  for (const [name, source, expected] of cases)
    it(name, () => assert.equal(toReleaseImports(source, 'server/src/http/file.ts'), expected));
});

describe('the bill of materials', async () => {
  const sbom = await createSbom();

  it('lists every package that runs in production, with its hash, and no other', () => {
    const { packages }: { packages: LockPackages } = JSON.parse(readFileSync(LOCK_FILE, 'utf8'));
    const expected = listProductionPackages(packages).map(
      ({ name, version }) => `${name}@${version}`,
    );
    const isOurs = (ref: string) => ref.startsWith('@cloche/');
    const listed = sbom.components.map(({ purl }) =>
      decodeURIComponent(purl.replace('pkg:npm/', '')),
    );
    assert.deepEqual(
      [...new Set(listed)].filter((ref) => !isOurs(ref)).sort(),
      [...expected].sort(),
    );
    const withoutHash = sbom.components.filter(({ hashes = [] }) => hashes.length === 0);
    assert.deepEqual(
      withoutHash.map((component) => component['bom-ref']).filter((ref) => !isOurs(ref)),
      [],
    );
  });

  it('is valid CycloneDX 1.5: each reference is to a component, and none is listed twice', () => {
    assert.equal(sbom.bomFormat, 'CycloneDX');
    assert.equal(sbom.specVersion, '1.5');
    assert.equal(sbom.metadata.component.name, 'cloche');
    const refs = [sbom.metadata.component, ...sbom.components].map((item) => item['bom-ref']);
    assert.equal(new Set(refs).size, refs.length);
    const named = sbom.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]);
    assert.deepEqual(
      named.filter((ref) => !refs.includes(ref)),
      [],
    );
  });
});
