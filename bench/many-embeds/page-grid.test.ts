import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { getPageHeight, listCellsInView, repeatModelViewer, VIEWPORT } from './page-grid.ts';

it('the page of model-viewer shows the model as often as the page of Cloche', async () => {
  const template = await readFile(join(import.meta.dirname, '../peers/model-viewer.html'), 'utf8');
  const html = repeatModelViewer(template, 16);
  assert.equal(html.match(/<model-viewer [^>]*src="\{\{model\}\}"/g)?.length, 16);
  assert.match(html, /<html data-in-view="8" lang="en">/);
  assert.match(html, /display:grid.*<\/style>/);
});

it('the first eight embeds fill the view', () => {
  assert.equal(getPageHeight(16), 2 * VIEWPORT.height);
  const cells = listCellsInView(16);
  assert.equal(cells.length, 8);
  const last = cells.at(-1);
  assert.deepEqual([last?.left, last?.top], [400, 900]);
  assert.equal(listCellsInView(3).length, 3);
});
