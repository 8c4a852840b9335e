import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const NPM = join(import.meta.dirname, '../dist/npm');

describe('the modules of the npm package', () => {
  for (const [name, exported] of [
    ['index.js', 'createViewer'],
    ['element.js', 'ClocheViewerElement'],
    ['react.js', 'ClocheViewer'],
  ] as const) {
    it(`a server can import ${name}`, async () => {
      assert.equal(globalThis.HTMLElement, undefined);
      assert.ok(exported in (await import(join(NPM, name))));
    });
  }
});
