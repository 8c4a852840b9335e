import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { optionAliases } from '@cloche/contract/option-aliases';
import { openTestServer } from '../../testing/harness.ts';
import { sendRequest } from '../../testing/requests.ts';

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

test('200: the page about what stays the same', async (t) => {
  const service = await openTestServer(t);
  const response = await sendRequest(service, 'GET', '/docs/stability', undefined, {
    accept: 'text/html',
  });
  assert.equal(response.statusCode, 200);
  assert.match(response.body, /<h1[^>]*>What stays the same<\/h1>/);
});
