import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { describe, it } from 'node:test';

const ROOT = join(import.meta.dirname, '..');

/** Who may import whom. A room may always import itself; `*` stands for any file behind it. */
const ALLOWED_IMPORTS: Record<string, readonly string[]> = {
  contract: [],
  viewer: ['contract'],
  pipeline: ['contract'],
  'server/cache': [],
  'server/blobs': ['contract', 'server/cache'],
  'server/database': ['contract', 'server/cache'],
  'server/http': ['contract', 'server/blobs', 'server/database'],
  'server/tokens': ['contract', 'server/cache', 'server/database', 'server/http'],
  'server/processing': ['contract', 'pipeline', 'server/blobs', 'server/database', 'server/http'],
  'server/designs': [
    'contract',
    'pipeline',
    'server/blobs',
    'server/cache',
    'server/database',
    'server/http',
    'server/processing',
    'server/tokens',
  ],
  'server/uploads': ['contract', 'server/blobs', 'server/designs', 'server/http', 'server/tokens'],
  'server/embed': [
    'contract',
    'server/blobs',
    'server/cache',
    'server/designs',
    'server/http',
    'server/tokens',
  ],
  'server/docs': ['contract', 'server/http'],
  'server/startup': [
    'contract',
    'server',
    'server/blobs',
    'server/database',
    'server/designs',
    'server/http',
    'server/tokens',
  ],
  server: [
    'contract',
    'pipeline',
    'server/blobs',
    'server/database',
    'server/designs',
    'server/docs',
    'server/embed',
    'server/http',
    'server/processing',
    'server/startup',
    'server/tokens',
    'server/uploads',
  ],
  demo: ['contract', 'scripts'],
};

/** Rooms that try out the others from outside may import what they like. */
const UNRESTRICTED = /^(server\/testing|pipeline\/testing|viewer\/testing|e2e|bench|scripts)\//;

const SOURCE_GLOBS = ['contract', 'pipeline', 'server', 'viewer', 'demo'].map(
  (room) => `${room}/**/*.ts`,
);
const IMPORT_PATTERN =
  /^\s*(?:import|export)\s[^;]*?from\s+'([^']+)'|^\s*import\s+'([^']+)'|import\('([^']+)'\)/gm;

/** What the viewer's build makes itself, and what it copies from a package as it is. */
const GENERATED_MODULE = /^virtual:/;
const COPIED_ASSET = /^asset:/;

type ImportEdge = { importer: string; target: string };

const imports = await readImports();

describe('imports', () => {
  it('go downhill only', () => {
    const wrong = imports
      .filter(({ importer, target }) => !isTestOrUnrestricted(importer) && isInternal(target))
      .filter(
        ({ importer, target }) =>
          !mayImport(getModule(importer), getModule(resolveTarget(importer, target))),
      )
      .map(
        ({ importer, target }) => `${importer}: ${getModule(importer)} may not import ${target}`,
      );
    assert.deepEqual(wrong, []);
  });

  it('of packages are declared by the room that uses them', () => {
    const wrong = imports
      .filter(
        ({ target }) =>
          !target.startsWith('.') && !isBuiltin(target) && !GENERATED_MODULE.test(target),
      )
      .filter(
        ({ importer, target }) =>
          !isDeclared(importer, getPackageName(target.replace(COPIED_ASSET, ''))),
      )
      .map(
        ({ importer, target }) => `${importer}: ${target} is not in the package.json of its room`,
      );
    assert.deepEqual(wrong, []);
  });

  it('make no circle', () => {
    assert.deepEqual(findCycle(), undefined);
  });

  it('are seen at all', () => {
    assert.ok(imports.length > 100);
  });
});

async function readImports(): Promise<ImportEdge[]> {
  const found: ImportEdge[] = [];
  for await (const path of glob(SOURCE_GLOBS, {
    cwd: ROOT,
    exclude: ['**/node_modules/**', '**/dist/**'],
  })) {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const importer = path.split(sep).join('/');
    for (const match of text.matchAll(IMPORT_PATTERN)) {
      found.push({ importer, target: match[1] ?? match[2] ?? match[3] ?? '' });
    }
  }
  return found;
}

function isInternal(target: string): boolean {
  return target.startsWith('.') || target.startsWith('@cloche/');
}

function isTestOrUnrestricted(file: string): boolean {
  return UNRESTRICTED.test(file) || /\.(test|contract)\.ts$/.test(file);
}

function resolveTarget(file: string, target: string): string {
  if (target.startsWith('@cloche/')) return `${target.slice('@cloche/'.length)}.ts`;
  return relative('.', normalize(join(dirname(file), target)));
}

/** `server/src/tokens/token.ts` is in `server/tokens`, `server/src/app.ts` in `server`. */
function getModule(path: string): string {
  const [room = '', ...inner] = path.replace('/src/', '/').split('/');
  return room === 'server' && inner.length > 1 ? `server/${inner[0]}` : room;
}

function mayImport(from: string, to: string): boolean {
  return from === to || (ALLOWED_IMPORTS[from] ?? []).includes(to);
}

function getPackageName(target: string): string {
  return target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');
}

function isDeclared(file: string, name: string): boolean {
  const room = file.split('/')[0] as string;
  const own = readDependencies(join(ROOT, room, 'package.json'));
  const isAside = isTestOrUnrestricted(file) || /^viewer\/build[./]/.test(file);
  // Tools for building and testing are declared once, at the top.
  return own.has(name) || (isAside && readDependencies(join(ROOT, 'package.json')).has(name));
}

function readDependencies(path: string): Set<string> {
  try {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(path, 'utf8'));
    return new Set(Object.keys({ ...dependencies, ...devDependencies }));
  } catch {
    // A room without a package.json declares nothing.
    return new Set();
  }
}

function findCycle(): string[] | undefined {
  const next = new Map<string, string[]>();
  for (const { importer, target } of imports) {
    if (target.startsWith('.'))
      next.set(importer, [...(next.get(importer) ?? []), resolveTarget(importer, target)]);
  }
  const done = new Set<string>();
  const visit = (file: string, trail: string[]): string[] | undefined => {
    if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const other of next.get(file) ?? []) {
      const circle = visit(other, [...trail, file]);
      if (circle !== undefined) return circle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of next.keys()) {
    const circle = visit(file, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}
