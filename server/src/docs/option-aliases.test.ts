import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { optionAliases } from '@cloche/contract/option-aliases';

const DOCS = join(import.meta.dirname, '../../../docs');

test('docs/embed.md lists every parameter of Sketchfab that is an option here, and no other', async () => {
  const text = await readFile(join(DOCS, 'embed.md'), 'utf8');
  const section = /\n## Options\n(.*?)\n## /s.exec(text)?.[1] ?? '';
  const rows = [...section.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, name, text]) => [
    name,
    text,
  ]);
  const aliases = Object.entries(optionAliases).map(([name, { description }]) => [
    name,
    description,
  ]);
  assert.deepEqual(rows, aliases);
});
