import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importFile } from '../../../testing/formats/import-file.ts';
import { makeMtl, makeObj } from '../../../testing/formats/obj.ts';
import { makeZip } from '../../../testing/formats/zip.ts';
import { makePng } from '../../../testing/png.ts';

describe('OBJ import', () => {
  it('reads a single file and warns about its missing materials', async () => {
    const { model, warnings, badNormals } = await importFile(
      makeObj({ materialLibrary: '/etc/passwd' }),
      'obj',
    );
    assert.partialDeepStrictEqual(model, {
      min: [0, 0, 0],
      max: [1, 1, 1],
      triangles: 12,
      nodes: ['Cube'],
    });
    assert.deepEqual(badNormals, []);
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ['units.assumed', 'material.missing'],
    );
    assert.equal(
      warnings[1]?.message,
      'The materials in "/etc/passwd" were not uploaded with the model.',
    );
  });

  it('keeps the texture coordinates of a group in which some faces have none', async () => {
    const obj = [
      'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1',
      'f 1/1 2/2 3/3\nf 1 2 4',
    ].join('\n');
    const { document } = await importFile(Buffer.from(obj), 'obj');
    const [primitive] = document.getRoot().listMeshes()[0]?.listPrimitives() ?? [];
    const texCoords = [...(primitive?.getAttribute('TEXCOORD_0')?.getArray() ?? [])];
    assert.ok(texCoords.includes(1) && texCoords.includes(0), texCoords.join());
    const without = await importFile(Buffer.from(obj.replace('1/1 2/2 3/3', '1 2 3')), 'obj');
    const [plain] = without.document.getRoot().listMeshes()[0]?.listPrimitives() ?? [];
    assert.equal(plain?.getAttribute('TEXCOORD_0'), null);
  });

  it('reads an archive with materials and textures', async () => {
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
      color: [1, 0, 0, 0.5],
      alphaMode: 'BLEND',
      roughness: 0.5,
      metallic: 0,
    });
    assert.partialDeepStrictEqual(model.materials[1], {
      name: 'wood',
      color: [1, 1, 1, 1],
      alphaMode: 'OPAQUE',
    });
    assert.deepEqual(codes, ['units.assumed']);
  });

  it('ignores a height map with a warning, and does not keep its texture', async () => {
    const mtl = makeMtl('m', { map_Bump: 'gray.png', map_Kd: 'missing.png' });
    const zip = makeZip({
      'a.obj': makeObj({ materialLibrary: 'a.mtl', objects: [{ name: 'A', material: 'm' }] }),
      'a.mtl': mtl,
      'gray.png': makePng(2, 2, [128, 128, 128]),
    });
    const { model, codes } = await importFile(zip, 'obj', 'a.obj');
    assert.deepEqual(model.textures, []);
    assert.deepEqual(codes, ['units.assumed', 'texture.missing', 'material.ignored']);
  });

  it('triangulates a concave face', async () => {
    const arrow = 'v 0 0 0\nv 2 1 0\nv 0 2 0\nv 1 1 0\nf 1 2 3 4\n';
    const { model, badNormals, document } = await importFile(Buffer.from(arrow), 'obj');
    assert.equal(model.triangles, 2);
    const [primitive] = document.getRoot().listMeshes()[0]?.listPrimitives() ?? [];
    const corners = Array.from(primitive?.getIndices()?.getArray() ?? [], (index) =>
      String(primitive?.getAttribute('POSITION')?.getElement(index, [])),
    );
    // Both triangles have the inner corner.
    assert.ok(corners.slice(0, 3).includes('1,1,0') && corners.slice(3).includes('1,1,0'));
    assert.ok(badNormals.every(([, , z]) => z === 1));
  });
});
