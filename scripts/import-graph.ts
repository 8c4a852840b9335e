import { posix } from 'node:path';
import type { SourceFiles } from './source-files.ts';

/** One import of a file. */
export type ImportEdge = {
  importer: string;
  /** As written: `./token.ts`, `@cloche/contract/design`, `node:fs`, `fastify`. */
  specifier: string;
  /** The imported file of this repository; undefined for packages and built-in modules. */
  target: string | undefined;
  /** `import type` is removed before the code runs; `import()` loads the file later. */
  kind: 'static' | 'type' | 'dynamic';
};

const IMPORT_PATTERN =
  /^\s*(?:import|export)\s(type\s)?[^;']*?from\s+'([^']+)'|^\s*import\s+'([^']+)'|import\('([^']+)'\)/gm;
const WORKSPACE_PREFIX = '@cloche/';

/** Lists the imports of all files. */
export function listImports(files: SourceFiles): ImportEdge[] {
  return [...files].flatMap(([importer, text]) =>
    [...text.matchAll(IMPORT_PATTERN)].map(
      ([, type, from = '', sideEffect = '', dynamic = '']): ImportEdge => {
        const specifier = from || sideEffect || dynamic;
        const kind = type ? 'type' : dynamic ? 'dynamic' : 'static';
        return { importer, specifier, target: resolveImport(importer, specifier), kind };
      },
    ),
  );
}

function resolveImport(importer: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(importer), specifier);
  if (!specifier.startsWith(WORKSPACE_PREFIX)) return undefined;
  const [workspace = '', ...path] = specifier.slice(WORKSPACE_PREFIX.length).split('/');
  const folder = path[0] === 'testing' ? workspace : `${workspace}/src`;
  return `${folder}/${path.join('/') || 'index'}.ts`;
}

/** Returns the edges that loading a file follows: static imports, directly and indirectly. */
export function listReachedImports(edges: readonly ImportEdge[], start: string): ImportEdge[] {
  const edgesByImporter = Map.groupBy(edges, ({ importer }) => importer);
  const reached: ImportEdge[] = [];
  const visited = new Set([start]);
  for (const file of visited) {
    for (const edge of edgesByImporter.get(file) ?? []) {
      if (edge.kind !== 'static') continue;
      reached.push(edge);
      if (edge.target !== undefined) visited.add(edge.target);
    }
  }
  return reached;
}

/** Finds a cycle of imports, types included: the files on it, the first repeated at the end. */
export function findImportCycle(edges: readonly ImportEdge[]): string[] | undefined {
  const edgesByImporter = Map.groupBy(edges, ({ importer }) => importer);
  const finished = new Set<string>();
  const visit = (file: string, path: string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (finished.has(file)) return undefined;
    for (const { target } of edgesByImporter.get(file) ?? []) {
      const cycle = target === undefined ? undefined : visit(target, [...path, file]);
      if (cycle !== undefined) return cycle;
    }
    finished.add(file);
    return undefined;
  };
  for (const file of edgesByImporter.keys()) {
    const cycle = visit(file, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
