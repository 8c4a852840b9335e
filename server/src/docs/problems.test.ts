import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { problems } from '@cloche/contract/problem';

const page = readFileSync(join(import.meta.dirname, '../../../docs/problems.md'), 'utf8');

/** The text of each section, by its heading. */
const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((text) => {
      const end = text.indexOf('\n');
      return [text.slice(0, end), text.slice(end)];
    }),
);

describe('docs/problems.md', () => {
  it('explains every problem and no other, in the order of the contract', () => {
    assert.deepEqual([...sections.keys()], Object.keys(problems));
  });

  for (const [code, { status, title }] of Object.entries(problems)) {
    it(`has status, meaning, causes, solution and an example of ${code}`, () => {
      const text = sections.get(code) ?? '';
      assert.ok(text.includes(`**${status}** · ${title}\n`), 'the status or the title differs');
      assert.match(text, /^\*\*What it means\.\*\* \S/m);
      assert.match(text, /^\*\*Usual causes\.\*\* \S/m);
      assert.match(text, /^\*\*What to do\.\*\* \S/m);
      assert.match(text, /^> \S/m);
    });
  }
});
