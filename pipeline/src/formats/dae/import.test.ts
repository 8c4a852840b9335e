import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeDae } from '../../../testing/formats/dae.ts';
import { importFile } from '../../../testing/formats/import-file.ts';
import { makeZip } from '../../../testing/formats/zip.ts';
import { makePng } from '../../../testing/png.ts';

const TEXTURE = makePng(2, 2, [200, 100, 0]);

describe('COLLADA import', () => {
  it('imports unit, up axis, names and colors', async () => {
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

  it('imports textures from its archive, and warns of missing ones', async () => {
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
