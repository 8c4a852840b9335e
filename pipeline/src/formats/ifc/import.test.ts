import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeIfc } from '../../../testing/formats/ifc.ts';
import { importFile } from '../../../testing/formats/import-file.ts';

describe('IFC import', () => {
  const WALL = { min: [-2, 0, -1.1], max: [2, 3, -0.9], triangles: 12 };
  const SPATIAL_NODES = ['Building', 'Ground floor', 'Project', 'Site'];

  for (const unit of ['meter', 'millimeter'] as const) {
    it(`imports a file in ${unit}s, with products as children of their storey`, async () => {
      const { model, codes, badNormals, document } = await importFile(
        makeIfc({ unit, name: "O'Wall" }),
        'ifc',
      );
      assert.partialDeepStrictEqual(model, WALL);
      assert.deepEqual(model.nodes.toSorted(), [...SPATIAL_NODES, "O'Wall"].toSorted());
      const wall = document
        .getRoot()
        .listNodes()
        .find((node) => node.getName() === "O'Wall");
      assert.equal(wall?.getParentNode()?.getName(), 'Ground floor');
      assert.deepEqual(
        model.materials.map(({ color }) => color),
        [[1, 0, 0, 1]],
      );
      assert.deepEqual(codes, []);
      assert.deepEqual(badNormals, []);
    });
  }

  it('imports transparency', async () => {
    const { model } = await importFile(makeIfc({ transparency: 0.4 }), 'ifc');
    assert.partialDeepStrictEqual(model.materials[0], {
      color: [1, 0, 0, 0.6],
      alphaMode: 'BLEND',
    });
  });

  it('imports a file whose storey is an ancestor of its own site', async () => {
    const cycle = makeIfc()
      .toString()
      .replace('$,$,$,#32,(#34)', '$,$,$,#32,(#34,#30)')
      .replace('$,$,$,#1,(#30)', '$,$,$,#34,(#30)');
    const { model } = await importFile(Buffer.from(cycle), 'ifc');
    assert.partialDeepStrictEqual(model, WALL);
  });

  it('moves a model that is far away to the origin', async () => {
    const far = makeIfc()
      .toString()
      .replace('#22=IFCCARTESIANPOINT((0.,0.,0.))', '#22=IFCCARTESIANPOINT((500000.,5000000.,0.))');
    const { model, codes } = await importFile(Buffer.from(far), 'ifc');
    assert.ok([...model.min, ...model.max].every((value) => Math.abs(value) < 10));
    assert.deepEqual(codes, ['origin.moved']);
  });
});
