import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importFile } from '../../../testing/formats/import-file.ts';
import { makeStep } from '../../../testing/formats/step.ts';

const CUBE = { min: [0, 0, -0.01], max: [0.01, 0.01, 0], triangles: 12 };

describe('STEP import', () => {
  it('imports the name, and the colors of the part and of one face', async () => {
    const step = makeStep({ name: 'Lid', color: [1, 0, 0], faceColor: [0, 0.5, 1] });
    const { model, codes, badNormals } = await importFile(step, 'step');
    assert.partialDeepStrictEqual(model, { ...CUBE, nodes: ['Lid'] });
    assert.deepEqual(
      model.materials.map(({ color }) => color),
      [
        [0, 0.214, 1, 1],
        [1, 0, 0, 1],
      ],
    );
    assert.partialDeepStrictEqual(model.materials[0], { metallic: 0, roughness: 0.6 });
    assert.deepEqual(codes, []);
    assert.deepEqual(badNormals, []);
  });

  it('converts its unit to meters', async () => {
    const { model } = await importFile(makeStep({ unit: 'meter', size: 2, name: '<b>Ä' }), 'step');
    assert.partialDeepStrictEqual(model, { min: [0, 0, -2], max: [2, 2, 0], nodes: ['<b>Ä'] });
  });
});
