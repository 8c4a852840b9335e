import { getModule, mayImport } from './allowed-imports.ts';
import {
  findImportCycle,
  type ImportEdge,
  listImports,
  listReachedImports,
} from './import-graph.ts';
import type { SourceFiles } from './source-files.ts';

/** A rule about imports; `findViolations` returns one line for each violation. */
export type LayerRule = { name: string; findViolations(files: SourceFiles): string[] };

const TEST_FILE = /\.(test|contract)\.ts$|^[^/]+\/testing\//;
const REGISTER_ROUTES_FILE = 'server/src/register-routes.ts';
const ROUTES_FILE = /(^|\/)([\w-]+-)?routes?\.ts$/;
const INFRASTRUCTURE = [
  'server/blobs',
  'server/cache',
  'server/disk',
  'server/database',
  'server/http',
];
/** Files that the service loads in its own process, before any library opens a model. */
const VALIDATION_ENTRY =
  /^pipeline\/src\/formats\/([\w-]+\/validate|registry|validate-model)\.ts$|^pipeline\/src\/validation-worker\//;
const FORMAT_IMPORTER = /^pipeline\/src\/formats\/([\w-]+)\/import\.ts$/;
const IMPORT_MODEL = 'pipeline/src/formats/import-model.ts';
const IMPURE_PACKAGE = /^(node:fs|node:sqlite|fastify|@fastify\/|kysely|pino)/;
const IMPURE_MODULES = ['server/database', 'server/http'];
const VIEWER_FACADE = 'viewer/src/viewer.ts';
/** Imports the poster without the facade: the boot script shows it before the viewer is loaded. */
const POSTER_UI = 'viewer/src/ui/poster.ts';

/** The rules that concern every workspace. */
export const LAYER_RULES: readonly LayerRule[] = [
  rule('a module imports only modules of lower layers', ({ importer, target }) => {
    const [from, to] = [getModule(importer), target && getModule(target)];
    return to !== undefined && !mayImport(from, to) && `${from} may not import ${to}`;
  }),
  {
    name: 'no cycles of imports',
    findViolations: (files) => {
      const cycle = findImportCycle(listImports(files));
      return cycle === undefined ? [] : [cycle.join(' -> ')];
    },
  },
  rule("only register-routes.ts imports another module's routes", ({ importer, target }) => {
    if (target === undefined || !ROUTES_FILE.test(target) || importer === REGISTER_ROUTES_FILE)
      return false;
    return getModule(importer) !== getModule(target) && `imports the routes ${target}`;
  }),
  rule('infrastructure imports no module', ({ importer, target }) => {
    if (target === undefined || !INFRASTRUCTURE.includes(getModule(importer))) return false;
    const to = getModule(target);
    const isAllowed = ['contract', 'server/config', ...INFRASTRUCTURE].includes(to);
    return !isAllowed && `infrastructure imports ${to}`;
  }),
  {
    name: 'the server has no index.ts',
    findViolations: (files) =>
      [...files.keys()].filter((path) => /^server\/(.*\/)?index\.ts$/.test(path)),
  },
];

/** The rules for the files of one server module, such as routes.ts -> token-store.ts -> token.ts. */
export const SERVER_MODULE_RULES: readonly LayerRule[] = [
  rule('a store imports no routes', ({ importer, target = '' }) => {
    return /-store\.ts$/.test(importer) && ROUTES_FILE.test(target) && `imports ${target}`;
  }),
  {
    name: 'the file beside a store is pure: no store, database, Fastify, files or environment',
    findViolations: (files) => {
      const edges = listImports(files);
      return listFilesWithStore(files).flatMap((path) => [
        ...(/\bprocess\.env\b/.test(files.get(path) ?? '') ? [`${path}: reads process.env`] : []),
        ...edges
          .filter(({ importer }) => importer === path)
          .filter(isImpure)
          .map(({ specifier }) => `${path}: imports ${specifier}`),
      ]);
    },
  },
];

/** The rules that keep the libraries for models inside the sandbox. */
export const PIPELINE_RULES: readonly LayerRule[] = [
  {
    name: 'validation imports nothing from npm, directly or indirectly',
    findViolations: (files) => {
      const edges = listImports(files);
      const entries = [...files.keys()].filter(
        (path) => VALIDATION_ENTRY.test(path) && !TEST_FILE.test(path),
      );
      return entries.flatMap((entry) =>
        listReachedImports(edges, entry)
          .filter(isNpmPackage)
          .map(({ importer, specifier }) => `${entry}: reaches ${specifier} through ${importer}`),
      );
    },
  },
  rule('only the sandbox worker loads the import of a format', (edge) => {
    const { importer, target = '', kind } = edge;
    if (target === IMPORT_MODEL)
      return getModule(importer) !== 'pipeline/sandbox/worker' && `imports ${target}`;
    if (!FORMAT_IMPORTER.test(target) || getModule(importer) === getModule(target)) return false;
    const isLazy = getModule(importer) === 'pipeline/formats' && kind === 'dynamic';
    return !isLazy && `imports ${target}`;
  }),
];

/** The rules for the two scripts of the viewer and for its folders. */
export const VIEWER_RULES: readonly LayerRule[] = [
  {
    name: 'boot.ts does not load three.js',
    findViolations: (files) =>
      listReachedImports(listImports(files), 'viewer/src/boot.ts')
        .filter(({ specifier }) => /^three(\/|$)/.test(specifier))
        .map(({ importer }) => `${importer}: imports three`),
  },
  rule('camera, scene, loader and renderer import neither ui nor controls', (edge) => {
    const { importer, target = '' } = edge;
    const isCore = /^viewer\/src\/(camera|scene|loader|renderer)\//.test(importer);
    return isCore && /^viewer\/src\/(ui|controls)\//.test(target) && `imports ${target}`;
  }),
];

/** Host messages, buttons and keys change the viewer only through its facade. */
export const VIEWER_FACADE_RULE: LayerRule = rule(
  'messages, ui and controls import the facade, not camera, scene, loader or renderer',
  ({ importer, target = '', kind }) => {
    // A type import loads no code.
    if (kind === 'type' || importer === POSTER_UI) return false;
    const isInput = /^viewer\/src\/(messages|ui|controls)\//.test(importer);
    const isInternal = /^viewer\/src\/(camera|scene|loader|renderer)\//.test(target);
    return isInput && isInternal && `imports ${target} instead of ${VIEWER_FACADE}`;
  },
);

/** A rule about single imports; tests and test support may import anything. */
function rule(name: string, findViolation: (edge: ImportEdge) => string | false): LayerRule {
  return {
    name,
    findViolations: (files) =>
      listImports(files)
        .filter(({ importer }) => !TEST_FILE.test(importer))
        .flatMap((edge) => {
          const violation = findViolation(edge);
          return violation === false ? [] : [`${edge.importer}: ${violation}`];
        }),
  };
}

/** Lists the files such as `token.ts` that have a `token-store.ts` beside them. */
function listFilesWithStore(files: SourceFiles): string[] {
  return [...files.keys()]
    .filter((path) => path.startsWith('server/src/') && path.endsWith('-store.ts'))
    .map((path) => path.replace(/-store\.ts$/, '.ts'))
    .filter((path) => files.has(path));
}

function isImpure({ importer, specifier, target }: ImportEdge): boolean {
  if (target === undefined) return IMPURE_PACKAGE.test(specifier);
  const isOwnStore = target.endsWith('-store.ts') && getModule(importer) === getModule(target);
  return isOwnStore || IMPURE_MODULES.includes(getModule(target));
}

function isNpmPackage({ specifier, target }: ImportEdge): boolean {
  return target === undefined && !specifier.startsWith('node:');
}
