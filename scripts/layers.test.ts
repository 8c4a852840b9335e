import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ALLOWED_IMPORTS, mayImport } from './allowed-imports.ts';
import { listImports } from './import-graph.ts';
import {
  LAYER_RULES,
  type LayerRule,
  PIPELINE_RULES,
  SERVER_MODULE_RULES,
  VIEWER_FACADE_RULE,
  VIEWER_RULES,
} from './layer-rules.ts';
import { readSourceFiles, type SourceFiles } from './source-files.ts';

const ROOT = join(import.meta.dirname, '..');
/** Provided by the build of the viewer, not by a package. */
const VIRTUAL_MODULE = /^virtual:/;
/** Prefix of an import whose file the build of the viewer copies unchanged from a package. */
const ASSET_PREFIX = /^asset:/;
/** Code that is not shipped may use the development tools of the root. */
const DEVELOPMENT_FILE =
  /\.(test|contract)\.ts$|^[^/]+\/testing\/|^(viewer|console|sdk|pipeline)\/(build[./-]|vite\.config)/;

const WORKSPACES = ['contract', 'pipeline', 'server', 'viewer', 'console', 'sdk', 'demo'];

const files = await readSourceFiles(
  ROOT,
  WORKSPACES.map((workspace) => `${workspace}/**/*.{ts,tsx}`),
);
const RULES = [
  ...LAYER_RULES,
  ...SERVER_MODULE_RULES,
  ...PIPELINE_RULES,
  ...VIEWER_RULES,
  VIEWER_FACADE_RULE,
];

describe('the import rules', () => {
  for (const { name, findViolations } of RULES) {
    it(name, () => assert.deepEqual(findViolations(files), []));
  }

  it('the table of allowed imports has no cycles', () => {
    const modules = Object.keys(ALLOWED_IMPORTS);
    // A module has a layer if all modules that it may import have one.
    const layered: string[] = [];
    for (let count = -1; count !== layered.length; ) {
      count = layered.length;
      for (const module of modules.filter((name) => !layered.includes(name))) {
        const imports = modules.filter((name) => name !== module && mayImport(module, name));
        if (imports.every((name) => layered.includes(name))) layered.push(module);
      }
    }
    assert.deepEqual(
      modules.filter((name) => !layered.includes(name)),
      [],
    );
  });

  it('each package is declared by the workspace that uses it', () => {
    const undeclared = listImports(files)
      .filter(({ specifier, target }) => target === undefined && !isBuiltin(specifier))
      .filter(({ specifier }) => !VIRTUAL_MODULE.test(specifier))
      .filter(({ importer, specifier }) => !isDeclared(importer, getPackageName(specifier)))
      .map(({ importer, specifier }) => `${importer}: ${specifier}`);
    assert.deepEqual(undeclared, []);
  });

  it('all files are read', () => {
    assert.ok(files.size > 300, `${files.size} files`);
    assert.ok(listImports(files).length > 1000);
  });
});

/** For each rule, files that break it. */
const VIOLATIONS: readonly (readonly [
  rule: LayerRule | undefined,
  files: Record<string, string>,
])[] = [
  [LAYER_RULES[0], { 'server/src/tokens/token.ts': "import { a } from '../designs/design.ts';" }],
  [LAYER_RULES[0], { 'pipeline/src/mesh/a.ts': "import type { A } from '../formats/obj/b.ts';" }],
  [LAYER_RULES[0], { 'pipeline/src/formats/obj/a.ts': "import { b } from '../stl/b.ts';" }],
  [
    LAYER_RULES[0],
    { 'pipeline/src/validation/a.ts': "import { b } from '../validation-worker/b.ts';" },
  ],
  [LAYER_RULES[0], { 'viewer/src/a.ts': "import { b } from '@cloche/pipeline/b';" }],
  [
    LAYER_RULES[1],
    { 'viewer/src/a.ts': "import { b } from './b.ts';", 'viewer/src/b.ts': "import './a.ts';" },
  ],
  [LAYER_RULES[2], { 'server/src/uploads/a.ts': "import { b } from '../designs/routes.ts';" }],
  [LAYER_RULES[2], { 'server/src/uploads/a.ts': "import { b } from '../designs/b-routes.ts';" }],
  [LAYER_RULES[3], { 'server/src/http/a.ts': "import type { B } from '../tokens/token.ts';" }],
  [LAYER_RULES[4], { 'server/src/tokens/index.ts': '' }],
  [
    SERVER_MODULE_RULES[0],
    { 'server/src/tokens/token-store.ts': "import { a } from './token-routes.ts';" },
  ],
  ...["import { b } from 'kysely';", "import { b } from '../http/b.ts';", 'process.env.A;'].map(
    (text) =>
      [
        SERVER_MODULE_RULES[1],
        { 'server/src/tokens/token.ts': text, 'server/src/tokens/token-store.ts': '' },
      ] as const,
  ),
  [
    PIPELINE_RULES[0],
    {
      'pipeline/src/formats/obj/validate.ts': "import { a } from '../../mesh/a.ts';",
      'pipeline/src/mesh/a.ts': "import sharp from 'sharp';",
    },
  ],
  [
    PIPELINE_RULES[1],
    { 'server/src/a.ts': "import { a } from '@cloche/pipeline/formats/obj/import';" },
  ],
  [
    PIPELINE_RULES[1],
    { 'pipeline/src/formats/registry.ts': "import { a } from './obj/import.ts';" },
  ],
  [
    PIPELINE_RULES[1],
    { 'pipeline/src/sandbox/a.ts': "import { a } from '../formats/import-model.ts';" },
  ],
  [
    VIEWER_RULES[0],
    { 'viewer/src/boot.ts': "import './a.ts';", 'viewer/src/a.ts': "import { A } from 'three';" },
  ],
  [VIEWER_RULES[1], { 'viewer/src/camera/a.ts': "import { b } from '../ui/b.ts';" }],
  [VIEWER_FACADE_RULE, { 'viewer/src/messages/a.ts': "import { b } from '../camera/b.ts';" }],
];

describe('the checker finds a violation of', () => {
  for (const [rule, violatingFiles] of VIOLATIONS) {
    it(`"${rule?.name}" in ${Object.values(violatingFiles).join(' ')}`, () => {
      const sources: SourceFiles = new Map(Object.entries(violatingFiles));
      assert.equal(rule?.findViolations(sources).length, 1);
    });
  }
});

describe('the checker allows', () => {
  const ALLOWED: Record<string, string> = {
    'server/src/tokens/token-store.ts': "import { a } from './token.ts';",
    'server/src/tokens/token.ts': "import { b } from '@cloche/contract/token';",
    'server/src/tokens/routes.ts': "import { b } from './token-store.ts';",
    'server/src/register-routes.ts': "import { b } from './tokens/routes.ts';",
    'pipeline/src/formats/registry.ts': "const load = () => import('./obj/import.ts');",
    'pipeline/src/formats/obj/validate.ts': "import type { A } from 'sharp';",
    'pipeline/src/formats/obj/validate.test.ts': "import { a } from '../stl/import.ts';",
  };
  for (const { name, findViolations } of RULES) {
    it(`correct imports: "${name}"`, () => {
      assert.deepEqual(findViolations(new Map(Object.entries(ALLOWED))), []);
    });
  }
});

function getPackageName(specifier: string): string {
  const path = specifier.replace(ASSET_PREFIX, '');
  return path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/');
}

function isDeclared(file: string, name: string): boolean {
  const workspace = file.split('/')[0] ?? '';
  if (readDependencies(join(ROOT, workspace, 'package.json')).has(name)) return true;
  return DEVELOPMENT_FILE.test(file) && readDependencies(join(ROOT, 'package.json')).has(name);
}

function readDependencies(path: string): Set<string> {
  if (!existsSync(path)) return new Set();
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
    readFileSync(path, 'utf8'),
  );
  return new Set(Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }));
}
