import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeBrep } from '../../../testing/formats/brep.ts';
import { makeIfc } from '../../../testing/formats/ifc.ts';
import { makeIges } from '../../../testing/formats/iges.ts';
import { importFile } from '../../../testing/formats/import-file.ts';
import { makeStep } from '../../../testing/formats/step.ts';

const SMALL = { min: [0, 0, -0.01], max: [0.01, 0.01, 0], triangles: 12 };

describe('STEP', () => {
  it('is read with its name and the colours of the part and of one face', async () => {
    const step = makeStep({ name: 'Lid', color: [1, 0, 0], faceColor: [0, 0.5, 1] });
    const { model, codes, badNormals } = await importFile(step, 'step');
    assert.partialDeepStrictEqual(model, { ...SMALL, nodes: ['Lid'] });
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

  it('is read in its unit', async () => {
    const { model } = await importFile(makeStep({ unit: 'metre', size: 2, name: '<b>Ä' }), 'step');
    assert.partialDeepStrictEqual(model, { min: [0, 0, -2], max: [2, 2, 0], nodes: ['<b>Ä'] });
  });
});

describe('IGES', () => {
  it('is read with its unit and colour', async () => {
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

describe('BREP', () => {
  it('is read in millimetres', async () => {
    const { model, codes, badNormals } = await importFile(makeBrep(), 'brep');
    assert.partialDeepStrictEqual(model, SMALL);
    assert.deepEqual(codes, ['units.assumed']);
    assert.deepEqual(badNormals, []);
  });
});

describe('IFC', () => {
  const WALL = { min: [-2, 0, -1.1], max: [2, 3, -0.9], triangles: 12 };
  const HOUSE = ['Building', 'Ground floor', 'Project', 'Site'];

  for (const unit of ['metre', 'millimetre'] as const) {
    it(`is read in ${unit}s, below the storey that holds it`, async () => {
      const { model, codes, badNormals, document } = await importFile(
        makeIfc({ unit, name: "O'Wall" }),
        'ifc',
      );
      assert.partialDeepStrictEqual(model, WALL);
      assert.deepEqual(model.nodes.toSorted(), [...HOUSE, "O'Wall"].toSorted());
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

  it('keeps what can be seen through', async () => {
    const { model } = await importFile(makeIfc({ transparency: 0.4 }), 'ifc');
    assert.partialDeepStrictEqual(model.materials[0], {
      color: [1, 0, 0, 0.6],
      alphaMode: 'BLEND',
    });
  });

  it('is read though a storey holds the site it stands on', async () => {
    const circle = makeIfc()
      .toString()
      .replace('$,$,$,#32,(#34)', '$,$,$,#32,(#34,#30)')
      .replace('$,$,$,#1,(#30)', '$,$,$,#34,(#30)');
    const { model } = await importFile(Buffer.from(circle), 'ifc');
    assert.partialDeepStrictEqual(model, WALL);
  });

  it('is moved to the origin when it lies far away', async () => {
    const far = makeIfc()
      .toString()
      .replace('#22=IFCCARTESIANPOINT((0.,0.,0.))', '#22=IFCCARTESIANPOINT((500000.,5000000.,0.))');
    const { model, codes } = await importFile(Buffer.from(far), 'ifc');
    assert.ok([...model.min, ...model.max].every((value) => Math.abs(value) < 10));
    assert.deepEqual(codes, ['origin.moved']);
  });
});
