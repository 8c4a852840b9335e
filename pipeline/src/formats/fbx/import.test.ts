import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeFbx } from '../../../testing/formats/fbx.ts';
import { importFile } from '../../../testing/formats/import-file.ts';
import { makeZip } from '../../../testing/formats/zip.ts';
import { makePng } from '../../../testing/png.ts';

const TEXTURE = makePng(2, 2, [200, 100, 0]);

describe('FBX import', () => {
  const COORDINATE_SYSTEMS: [
    description: string,
    options: Parameters<typeof makeFbx>[0],
    min: number[],
    max: number[],
  ][] = [
    ['in centimeters with Y up', { size: 100 }, [1, 0, 0], [2, 1, 1]],
    ['in meters with Z up', { size: 1, unitScaleFactor: 100, upAxis: 'z' }, [1, 0, -1], [2, 1, 0]],
    ['in inches', { size: 1, unitScaleFactor: 2.54 }, [0.0254, 0, 0], [0.0508, 0.0254, 0.0254]],
  ];
  for (const [description, options, min, max] of COORDINATE_SYSTEMS) {
    it(`imports a file ${description}`, async () => {
      const { model, codes, badNormals } = await importFile(
        makeFbx({ ...options, color: [1, 0.5, 0], name: 'Lid' }),
        'fbx',
      );
      assert.partialDeepStrictEqual(model, {
        min,
        max,
        triangles: 12,
        nodes: ['Group', 'Lid', ''],
      });
      assert.partialDeepStrictEqual(model.materials, [
        { name: 'Paint', color: [1, 0.214, 0, 1], metallic: 0 },
      ]);
      assert.deepEqual(codes, []);
      assert.deepEqual(badNormals, []);
    });
  }

  it('imports animations', async () => {
    const { model } = await importFile(makeFbx({ spinning: true }), 'fbx');
    assert.deepEqual(model.animations, ['Spin']);
  });

  it('imports embedded textures', async () => {
    const fbx = makeFbx({ texture: 'C:\\textures\\wood.png', embeddedTexture: TEXTURE });
    const { model, document, codes } = await importFile(fbx, 'fbx');
    assert.deepEqual(model.textures, ['wood.png']);
    assert.deepEqual(Buffer.from(document.getRoot().listTextures()[0]?.getImage() ?? []), TEXTURE);
    assert.deepEqual(model.materials[0]?.color, [1, 1, 1, 1]);
    assert.deepEqual(codes, []);
  });

  it('imports textures from its archive, and warns of missing ones', async () => {
    const fbx = makeFbx({ texture: 'C:\\textures\\wood.png' });
    const found = await importFile(
      makeZip({ 'a.fbx': fbx, 'tex/Wood.png': TEXTURE }),
      'fbx',
      'a.fbx',
    );
    assert.deepEqual([found.model.textures, found.codes], [['wood.png'], []]);
    const alone = await importFile(fbx, 'fbx');
    assert.deepEqual([alone.model.textures, alone.codes], [[], ['texture.missing']]);
  });

  it('rejects versions that are too old', async () => {
    const old = makeFbx().toString().replace('FBXVersion: 7400', 'FBXVersion: 6100');
    await assert.rejects(importFile(Buffer.from(old), 'fbx'), {
      code: 'design.unsupported',
      message: /FBX 6.1/,
    });
  });
});
