import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { describe, it } from 'node:test';

const ROOT = join(import.meta.dirname, '..');

/** Who may import whom. A room may always import itself; `*` stands for any file behind it. */
const ALLOWED: Record<string, readonly string[]> = {
  contract: [],
  viewer: ['contract'],
  'server/blobs': ['contract'],
  'server/database': ['contract'],
  'server/http': ['contract', 'server/blobs', 'server/database'],
  'server/pipeline': ['contract', 'server/blobs', 'server/database', 'server/http'],
  'server/tokens': ['contract', 'server/database', 'server/http'],
  'server/designs': [
    'contract',
    'server/blobs',
    'server/database',
    'server/http',
    'server/pipeline',
    'server/tokens',
  ],
  'server/uploads': ['contract', 'server/blobs', 'server/designs', 'server/http', 'server/tokens'],
  'server/embed': ['contract', 'server/blobs', 'server/designs', 'server/http', 'server/tokens'],
  'server/docs': ['contract', 'server/http'],
  server: [
    'contract',
    'server/blobs',
    'server/database',
    'server/designs',
    'server/docs',
    'server/embed',
    'server/http',
    'server/pipeline',
    'server/tokens',
    'server/uploads',
  ],
  demo: ['contract', 'scripts'],
};

/** Rooms that try out the others from outside may import what they like. */
const FREE = /^(server\/testing|viewer\/testing|e2e|bench|scripts)\//;

const SOURCES = ['contract', 'server', 'viewer', 'demo'].map((room) => `${room}/**/*.ts`);
const IMPORT =
  /^\s*(?:import|export)\s[^;]*?from\s+'([^']+)'|^\s*import\s+'([^']+)'|import\('([^']+)'\)/gm;

/** What the viewer's build makes itself, and what it copies from a package as it is. */
const MADE = /^studio:/;
const COPIED = /^asset:/;

type Edge = { file: string; target: string };

const edges = await readEdges();

describe('imports', () => {
  it('go downhill only', () => {
    const wrong = edges
      .filter(({ file, target }) => !isTestOrFree(file) && isOurs(target))
      .filter(({ file, target }) => !mayImport(roomOf(file), roomOf(pathOf(file, target))))
      .map(({ file, target }) => `${file}: ${roomOf(file)} may not import ${target}`);
    assert.deepEqual(wrong, []);
  });

  it('of packages are declared by the room that uses them', () => {
    const wrong = edges
      .filter(({ target }) => !target.startsWith('.') && !isBuiltin(target) && !MADE.test(target))
      .filter(({ file, target }) => !declares(file, packageOf(target.replace(COPIED, ''))))
      .map(({ file, target }) => `${file}: ${target} is not in the package.json of its room`);
    assert.deepEqual(wrong, []);
  });

  it('make no circle', () => {
    assert.deepEqual(findCircle(), undefined);
  });

  it('are seen at all', () => {
    assert.ok(edges.length > 100);
  });
});

async function readEdges(): Promise<Edge[]> {
  const found: Edge[] = [];
  for await (const path of glob(SOURCES, {
    cwd: ROOT,
    exclude: ['**/node_modules/**', '**/dist/**'],
  })) {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const file = path.split(sep).join('/');
    for (const match of text.matchAll(IMPORT)) {
      found.push({ file, target: match[1] ?? match[2] ?? match[3] ?? '' });
    }
  }
  return found;
}

function isOurs(target: string): boolean {
  return target.startsWith('.') || target.startsWith('@cloche/');
}

function isTestOrFree(file: string): boolean {
  return FREE.test(file) || /\.(test|contract)\.ts$/.test(file);
}

function pathOf(file: string, target: string): string {
  if (target.startsWith('@cloche/')) return `${target.slice('@cloche/'.length)}.ts`;
  return relative('.', normalize(join(dirname(file), target)));
}

/** `server/src/tokens/token.ts` is in `server/tokens`, `server/src/app.ts` in `server`. */
function roomOf(path: string): string {
  const [room = '', ...inner] = path.replace('/src/', '/').split('/');
  return room === 'server' && inner.length > 1 ? `server/${inner[0]}` : room;
}

function mayImport(from: string, to: string): boolean {
  return from === to || (ALLOWED[from] ?? []).includes(to);
}

function packageOf(target: string): string {
  return target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');
}

function declares(file: string, name: string): boolean {
  const room = file.split('/')[0] as string;
  const own = dependenciesOf(join(ROOT, room, 'package.json'));
  const isAside = isTestOrFree(file) || /^viewer\/build[./]/.test(file);
  // Tools for building and testing are declared once, at the top.
  return own.has(name) || (isAside && dependenciesOf(join(ROOT, 'package.json')).has(name));
}

function dependenciesOf(path: string): Set<string> {
  try {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(path, 'utf8'));
    return new Set(Object.keys({ ...dependencies, ...devDependencies }));
  } catch {
    // A room without a package.json declares nothing.
    return new Set();
  }
}

function findCircle(): string[] | undefined {
  const next = new Map<string, string[]>();
  for (const { file, target } of edges) {
    if (target.startsWith('.')) next.set(file, [...(next.get(file) ?? []), pathOf(file, target)]);
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
