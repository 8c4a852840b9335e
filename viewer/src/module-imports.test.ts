import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { it } from 'node:test';

const IMPORT = /^(?:import|export)\s[^;]*?from '(\.[^']+)'/gm;

/** The folders that the files of a folder must not import, not even their types. */
const FORBIDDEN: Record<string, readonly string[]> = {
  camera: ['ui', 'controls', 'loader'],
  scene: ['ui', 'controls', 'loader', 'renderer', 'camera'],
  renderer: ['ui', 'controls', 'loader'],
  loader: ['ui', 'controls'],
  ui: ['controls', 'loader', 'renderer'],
};

function listRelativeImports(file: string): string[] {
  const source = readFileSync(join(import.meta.dirname, file), 'utf8');
  return [...source.matchAll(IMPORT)].map(([, target = '']) =>
    normalize(join(dirname(file), target)),
  );
}

it('no file imports a forbidden folder', async () => {
  const violations: string[] = [];
  for await (const file of glob('*/**/*.ts', { cwd: import.meta.dirname })) {
    if (file.endsWith('.test.ts')) continue;
    const forbidden = FORBIDDEN[file.split('/')[0] ?? ''] ?? [];
    for (const target of listRelativeImports(file)) {
      if (forbidden.includes(target.split('/')[0] ?? '')) violations.push(`${file}: ${target}`);
    }
  }
  assert.deepEqual(violations, []);
});
