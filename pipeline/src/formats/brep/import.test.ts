import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeBrep } from '../../../testing/formats/brep.ts';
import { importFile } from '../../../testing/formats/import-file.ts';

const CUBE = { min: [0, 0, -0.01], max: [0.01, 0.01, 0], triangles: 12 };

describe('BREP import', () => {
  it('assumes millimeters', async () => {
    const { model, codes, badNormals } = await importFile(makeBrep(), 'brep');
    assert.partialDeepStrictEqual(model, CUBE);
    assert.deepEqual(codes, ['units.assumed']);
    assert.deepEqual(badNormals, []);
  });
});
