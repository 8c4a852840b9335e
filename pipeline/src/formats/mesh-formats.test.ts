import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { make3mf } from '../../testing/formats/3mf.ts';
import { importFile } from '../../testing/formats/import-file.ts';
import { makeMtl, makeObj } from '../../testing/formats/obj.ts';
import { makePly } from '../../testing/formats/ply.ts';
import { makeStl } from '../../testing/formats/stl.ts';
import { makeZip } from '../../testing/formats/zip.ts';
import { makePng } from '../../testing/models.ts';

/** A cube of 10 mm with Z up, turned: what was above is now behind. */
const SMALL = { min: [0, 0, -0.01], max: [0.01, 0.01, 0], triangles: 12 };
const UNIT = { min: [0, 0, 0], max: [1, 1, 1], triangles: 12 };

function listVertexColors(
  document: Awaited<ReturnType<typeof importFile>>['document'],
): Set<string> {
  const [mesh] = document.getRoot().listMeshes();
  const colours = mesh?.listPrimitives()[0]?.getAttribute('COLOR_0');
  const count = colours?.getCount() ?? 0;
  return new Set(
    Array.from({ length: count }, (_, at) =>
      String(colours?.getElement(at, []).map((value) => Math.round(value * 1000) / 1000)),
    ),
  );
}

describe('STL', () => {
  for (const ascii of [true, false]) {
    it(`is read from ${ascii ? 'ASCII' : 'binary'}, in millimetres with Z up, with hard edges`, async () => {
      const { model, codes, badNormals } = await importFile(
        makeStl({ ascii, name: 'solid lid' }),
        'stl',
      );
      assert.partialDeepStrictEqual(model, { ...SMALL, nodes: [ascii ? 'solid lid' : ''] });
      assert.deepEqual(codes, ['units.assumed']);
      assert.deepEqual(badNormals, []);
    });
  }

  it('makes a node of each solid', async () => {
    const both = Buffer.concat([
      makeStl({ ascii: true, name: 'a' }),
      makeStl({ ascii: true, name: 'b' }),
    ]);
    const { model } = await importFile(both, 'stl');
    assert.deepEqual(model.nodes, ['a', 'b']);
    assert.equal(model.triangles, 24);
  });

  it('keeps the colours of facets', async () => {
    const { document } = await importFile(makeStl({ colour: [0, 0.5, 1] }), 'stl');
    assert.deepEqual(listVertexColors(document), new Set(['1,0,0,1', '0,0.216,1,1']));
  });

  it('is refused when a corner is no number or the file ends early', async () => {
    const text = makeStl({ ascii: true }).toString();
    await assert.rejects(importFile(Buffer.from(text.replace('vertex 0', 'vertex x')), 'stl'), {
      code: 'design.unreadable',
    });
    await assert.rejects(importFile(makeStl().subarray(0, 200), 'stl'), {
      code: 'design.unreadable',
    });
  });
});

describe('PLY', () => {
  for (const format of ['ascii', 'binary_little_endian', 'binary_big_endian'] as const) {
    it(`is read from ${format}, with the colours of its corners`, async () => {
      const colours = [
        [255, 0, 0],
        [128, 128, 128],
      ] as const;
      const { model, codes, document, badNormals } = await importFile(
        makePly({ format, colours }),
        'ply',
      );
      assert.partialDeepStrictEqual(model, UNIT);
      assert.deepEqual(
        listVertexColors(document),
        new Set(['1,0,0,1', '0.216,0.216,0.216,1', '1,1,1,1']),
      );
      assert.deepEqual(codes, ['units.assumed']);
      assert.deepEqual(badNormals, []);
    });
  }

  it('shows points where there are no faces', async () => {
    const { codes, document } = await importFile(makePly({ pointsOnly: true }), 'ply');
    assert.equal(document.getRoot().listMeshes()[0]?.listPrimitives()[0]?.getMode(), 0);
    assert.deepEqual(codes, ['units.assumed', 'points.only']);
  });

  const LIES: [why: string, change: (text: string) => string][] = [
    ['more vertices than it has', (text) => text.replace('vertex 8', 'vertex 80')],
    ['more vertices than it has bytes', (text) => text.replace('vertex 8', 'vertex 4000000000')],
    ['a corner that is not there', (text) => text.replace(/4 0 2 3 1\n/, '4 0 2 3 100\n')],
    ['a list longer than the file', (text) => text.replace(/4 0 2 3 1\n/, '4000000000 0 2 3 1\n')],
    ['an unknown type', (text) => text.replace('float x', 'constructor x')],
  ];
  for (const [why, change] of LIES) {
    it(`is refused when it says ${why}`, async () => {
      const changed = Buffer.from(change(makePly().toString()));
      await assert.rejects(importFile(changed, 'ply'), { code: 'design.unreadable' });
    });
  }
});

describe('OBJ', () => {
  it('is read alone, and tells what is missing', async () => {
    const { model, warnings, badNormals } = await importFile(
      makeObj({ materialLibrary: '/etc/passwd' }),
      'obj',
    );
    assert.partialDeepStrictEqual(model, { ...UNIT, nodes: ['Cube'] });
    assert.deepEqual(badNormals, []);
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ['units.assumed', 'material.missing'],
    );
    assert.equal(
      warnings[1]?.message,
      'The materials in "/etc/passwd" did not come with the model.',
    );
  });

  it('is read from an archive with its materials and pictures', async () => {
    const objects = [
      { name: 'One', material: 'red' },
      { name: 'Two', material: 'wood' },
    ];
    const mtl =
      makeMtl('red', { Kd: '1 0 0', Ns: '225', d: '0.5' }) +
      makeMtl('wood', {
        Kd: '1 1 1',
        map_Kd: '-s 1 1 C:\\My Files\\Wood.PNG',
        map_Bump: '-bm 1 normal.png',
      });
    const zip = makeZip({
      'm/a.obj': makeObj({ materialLibrary: 'sub/a b.mtl', objects }),
      'm/sub/a b.mtl': mtl,
      'tex/wood.png': makePng(2, 2, [200, 100, 0]),
      'm/sub/normal.png': makePng(2, 2, [128, 128, 255]),
    });
    const { model, codes } = await importFile(zip, 'obj', 'm/a.obj');
    assert.partialDeepStrictEqual(model, {
      min: [0, 0, 0],
      max: [3, 1, 1],
      nodes: ['One', 'Two'],
      textures: ['wood.png', 'normal.png'],
    });
    assert.partialDeepStrictEqual(model.materials[0], {
      name: 'red',
      colour: [1, 0, 0, 0.5],
      alphaMode: 'BLEND',
      roughness: 0.5,
      metallic: 0,
    });
    assert.partialDeepStrictEqual(model.materials[1], {
      name: 'wood',
      colour: [1, 1, 1, 1],
      alphaMode: 'OPAQUE',
    });
    assert.deepEqual(codes, ['units.assumed']);
  });

  it('tells of a height map, which is no normal map', async () => {
    const mtl = makeMtl('m', { map_Bump: 'grey.png', map_Kd: 'gone.png' });
    const zip = makeZip({
      'a.obj': makeObj({ materialLibrary: 'a.mtl', objects: [{ name: 'A', material: 'm' }] }),
      'a.mtl': mtl,
      'grey.png': makePng(2, 2, [128, 128, 128]),
    });
    const { model, codes } = await importFile(zip, 'obj', 'a.obj');
    assert.deepEqual(model.textures, []);
    assert.deepEqual(codes, ['units.assumed', 'texture.missing', 'material.unread']);
  });

  it('cuts a face that bends inwards where it should', async () => {
    const arrow = 'v 0 0 0\nv 2 1 0\nv 0 2 0\nv 1 1 0\nf 1 2 3 4\n';
    const { model, badNormals, document } = await importFile(Buffer.from(arrow), 'obj');
    assert.equal(model.triangles, 2);
    const [primitive] = document.getRoot().listMeshes()[0]?.listPrimitives() ?? [];
    const corners = Array.from(primitive?.getIndices()?.getArray() ?? [], (at) =>
      String(primitive?.getAttribute('POSITION')?.getElement(at, [])),
    );
    // Both have the inner corner.
    assert.ok(corners.slice(0, 3).includes('1,1,0') && corners.slice(3).includes('1,1,0'));
    assert.ok(badNormals.every(([, , z]) => z === 1));
  });
});

describe('3MF', () => {
  for (const separateModelFile of [false, true]) {
    it(`is read with its unit, parts and materials${separateModelFile ? ' from several files' : ''}`, async () => {
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
        model.materials.map(({ name, colour }) => [name, colour]),
        [
          ['Blue', [0, 0, 1, 0.502]],
          ['Red', [1, 0, 0, 1]],
        ],
      );
      assert.deepEqual(codes, []);
      assert.deepEqual(badNormals, []);
    });
  }

  it('is refused when objects hold each other without end', async () => {
    const model =
      '<model unit="meter"><resources><object id="1"><components><component objectid="1"/><component objectid="1"/></components></object></resources><build><item objectid="1"/></build></model>';
    await assert.rejects(importFile(makeZip({ '3D/3dmodel.model': model }), '3mf'), {
      message: /too deeply/,
    });
  });
});
