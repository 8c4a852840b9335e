import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeIges } from '../../../testing/formats/iges.ts';
import { importFile } from '../../../testing/formats/import-file.ts';

describe('IGES import', () => {
  it('imports unit and color', async () => {
    const { model, codes } = await importFile(makeIges({ unit: 1, size: 1, color: 2 }), 'iges');
    assert.partialDeepStrictEqual(model, {
      min: [0, 0, -0.0254],
      max: [0.0254, 0.0254, 0],
      triangles: 12,
    });
    assert.deepEqual(
      model.materials.map(({ color }) => color),
      [[1, 0, 0, 1]],
    );
    assert.deepEqual(codes, []);
  });
});
