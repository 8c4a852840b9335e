import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { make3mf } from '../../../testing/formats/3mf.ts';
import { importFile } from '../../../testing/formats/import-file.ts';
import { makeZip } from '../../../testing/formats/zip.ts';

describe('3MF import', () => {
  for (const separateModelFile of [false, true]) {
    it(`reads unit, components and materials${separateModelFile ? ' from several files' : ''}`, async () => {
      const { model, codes, badNormals } = await importFile(
        make3mf({ separateModelFile, unit: 'inch', size: 1 }),
        '3mf',
      );
      assert.partialDeepStrictEqual(model, {
        min: [0, 0, -0.0254],
        max: [0.0762, 0.0254, 0],
        triangles: 12,
        meshes: 1,
      });
      assert.deepEqual(model.nodes.toSorted(), ['', 'Cube', 'Cube', 'Whole', 'Whole']);
      assert.deepEqual(
        model.materials.map(({ name, color }) => [name, color]),
        [
          ['Blue', [0, 0, 1, 0.502]],
          ['Red', [1, 0, 0, 1]],
        ],
      );
      assert.deepEqual(codes, []);
      assert.deepEqual(badNormals, []);
    });
  }

  it('leaves out supports, and what changes how a part is printed', async () => {
    const mesh =
      '<mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/></vertices><triangles><triangle v1="0" v2="1" v3="2"/></triangles></mesh>';
    const write = (types: readonly string[]) => {
      const objects = types.map((type, id) => `<object id="${id}" type="${type}">${mesh}</object>`);
      const components = types.map((_, id) => `<component objectid="${id}"/>`);
      const whole = `<object id="9" type="model"><components>${components.join('')}</components></object>`;
      return makeZip({
        '3D/3dmodel.model': `<model unit="meter"><resources>${objects.join('')}${whole}</resources><build><item objectid="9"/></build></model>`,
      });
    };
    for (const [types, triangles] of [
      [['model', 'other', 'support', 'solidsupport'], 1],
      [['other', 'other'], 2],
    ] as const) {
      const { model } = await importFile(write(types), '3mf');
      assert.equal(model.triangles, triangles, types.join());
    }
  });

  it('rejects an object that contains itself', async () => {
    const model =
      '<model unit="meter"><resources><object id="1"><components><component objectid="1"/><component objectid="1"/></components></object></resources><build><item objectid="1"/></build></model>';
    await assert.rejects(importFile(makeZip({ '3D/3dmodel.model': model }), '3mf'), {
      message: /nested too deeply/,
    });
  });
});
