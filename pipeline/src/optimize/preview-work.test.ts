import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Document } from '@gltf-transform/core';
import { addSheet } from '../../testing/wavy-sheet.ts';
import { countSceneTriangles, findDefaultScene } from './model-counts.ts';
import { optimize } from './optimize.ts';

const MAX_TRIANGLES = 10_000;

it('the preview is made from the simplified geometry, not from that of the source', async () => {
  const document = new Document();
  addSheet(document, { side: 200 });
  const triangles: Record<string, number> = {};
  await optimize(document, { maxTriangles: MAX_TRIANGLES }, (step) => {
    // At the start of the step.
    triangles[step] ??= countSceneTriangles(findDefaultScene(document));
  });
  assert.equal(triangles.geometry, 80_000);
  const { preview = 0 } = triangles;
  assert.ok(preview > 0 && preview <= MAX_TRIANGLES, `${preview} triangles`);
});
