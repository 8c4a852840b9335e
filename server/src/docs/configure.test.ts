import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { VARIABLES } from '../config.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/configure.md'), 'utf8');

describe('docs/configure.md', () => {
  it('documents every setting and no other', () => {
    const rows = [...page.matchAll(/^\| `(CLOCHE_\w+)` \|/gm)].map((match) => match[1]);
    assert.deepEqual(rows.sort(), [...VARIABLES].sort());
  });

  it('mentions no unknown setting', () => {
    const mentioned = new Set([...page.matchAll(/CLOCHE_\w+/g)].map(([name]) => name));
    assert.deepEqual(mentioned.difference(new Set(VARIABLES)), new Set());
  });
});
