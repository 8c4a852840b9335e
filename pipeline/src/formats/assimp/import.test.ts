import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeDae } from '../../../testing/formats/dae.ts';
import { makeFbx } from '../../../testing/formats/fbx.ts';
import { importFile } from '../../../testing/formats/import-file.ts';
import { makeZip } from '../../../testing/formats/zip.ts';
import { makePng } from '../../../testing/png.ts';

const TEXTURE = makePng(2, 2, [200, 100, 0]);

describe('FBX', () => {
  const FRAMES: [
    why: string,
    options: Parameters<typeof makeFbx>[0],
    min: number[],
    max: number[],
  ][] = [
    ['in centimetres with Y up', { size: 100 }, [1, 0, 0], [2, 1, 1]],
    ['in metres with Z up', { size: 1, unitScaleFactor: 100, upAxis: 'z' }, [1, 0, -1], [2, 1, 0]],
    ['in inches', { size: 1, unitScaleFactor: 2.54 }, [0.0254, 0, 0], [0.0508, 0.0254, 0.0254]],
  ];
  for (const [why, options, min, max] of FRAMES) {
    it(`is read ${why}`, async () => {
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

  it('keeps its animations', async () => {
    const { model } = await importFile(makeFbx({ spinning: true }), 'fbx');
    assert.deepEqual(model.animations, ['Spin']);
  });

  it('keeps the pictures within it', async () => {
    const fbx = makeFbx({ texture: 'C:\\work\\wood.png', embeddedTexture: TEXTURE });
    const { model, document, codes } = await importFile(fbx, 'fbx');
    assert.deepEqual(model.textures, ['wood.png']);
    assert.deepEqual(Buffer.from(document.getRoot().listTextures()[0]?.getImage() ?? []), TEXTURE);
    assert.deepEqual(model.materials[0]?.color, [1, 1, 1, 1]);
    assert.deepEqual(codes, []);
  });

  it('takes pictures from its archive, and tells of those that are missing', async () => {
    const fbx = makeFbx({ texture: 'C:\\work\\wood.png' });
    const found = await importFile(
      makeZip({ 'a.fbx': fbx, 'tex/Wood.png': TEXTURE }),
      'fbx',
      'a.fbx',
    );
    assert.deepEqual([found.model.textures, found.codes], [['wood.png'], []]);
    const alone = await importFile(fbx, 'fbx');
    assert.deepEqual([alone.model.textures, alone.codes], [[], ['texture.missing']]);
  });

  it('is refused when it is too old', async () => {
    const old = makeFbx().toString().replace('FBXVersion: 7400', 'FBXVersion: 6100');
    await assert.rejects(importFile(Buffer.from(old), 'fbx'), {
      code: 'design.unsupported',
      message: /FBX 6.1/,
    });
  });
});

describe('COLLADA', () => {
  it('is read with its unit, axis, names and colours', async () => {
    const dae = makeDae({
      metersPerUnit: 0.0254,
      upAxis: 'Z_UP',
      size: 10,
      color: [1, 0.5, 0],
      name: 'Pots &amp; pans',
      animated: true,
    });
    const { model, codes, badNormals, document } = await importFile(dae, 'dae');
    assert.partialDeepStrictEqual(model, {
      min: [0, 0, -0.254],
      max: [0.254, 0.254, 0],
      triangles: 12,
      nodes: ['Scene', 'Pots & pans'],
      animations: ['Move'],
    });
    assert.partialDeepStrictEqual(model.materials, [{ name: 'Paint', color: [1, 0.214, 0, 1] }]);
    assert.deepEqual(codes, []);
    assert.deepEqual(badNormals, []);
    assert.equal(document.getRoot().listExtensionsUsed().length, 0);
  });

  it('takes pictures from its archive, and tells of those that are missing', async () => {
    const dae = makeDae({ texture: '../tex/my%20wood.png' });
    const found = await importFile(
      makeZip({ 'm/a.dae': dae, 'tex/my wood.png': TEXTURE }),
      'dae',
      'm/a.dae',
    );
    assert.deepEqual([found.model.textures, found.codes], [['my wood.png'], []]);
    const alone = await importFile(dae, 'dae');
    assert.deepEqual([alone.model.textures, alone.codes], [[], ['texture.missing']]);
  });
});
