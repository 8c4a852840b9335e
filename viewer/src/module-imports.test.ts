import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';

const IMPORT = /^(?:import|export)\s[^;]*?from '([^']+)'/gm;
const VALUE_IMPORT = /^(?:import|export)\s(?!type )[^;]*?from '([^']+)'/gm;

/** Folders, and the folders that they must not import. */
const FORBIDDEN: Record<string, readonly string[]> = {
  camera: ['ui', 'controls', 'loader'],
  scene: ['ui', 'controls', 'loader', 'renderer', 'camera'],
  renderer: ['ui', 'controls', 'loader'],
  loader: ['ui', 'controls'],
  ui: ['controls', 'loader', 'renderer'],
};

function listImports(file: string, pattern: RegExp): string[] {
  const source = readFileSync(join(import.meta.dirname, file), 'utf8');
  return [...source.matchAll(pattern)].map(([, target = '']) =>
    target.startsWith('.') ? normalize(join(dirname(file), target)) : target,
  );
}

describe('modules of the viewer', () => {
  it('import only the folders that they may', async () => {
    const wrong: string[] = [];
    for await (const file of glob('*/**/*.ts', { cwd: import.meta.dirname })) {
      if (file.endsWith('.test.ts')) continue;
      const forbidden = FORBIDDEN[file.split('/')[0] ?? ''] ?? [];
      for (const target of listImports(file, IMPORT)) {
        if (forbidden.includes(target.split('/')[0] ?? '')) wrong.push(`${file}: ${target}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  it('of the boot script do not include three.js', () => {
    const visited = new Set<string>();
    const visit = (file: string) => {
      if (visited.has(file)) return;
      visited.add(file);
      if (file.endsWith('.ts')) for (const target of listImports(file, VALUE_IMPORT)) visit(target);
    };
    visit('boot.ts');
    assert.ok(visited.size > 5);
    assert.deepEqual(
      [...visited].filter((target) => target.startsWith('three')),
      [],
    );
  });
});
