import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeGltf } from '../../../testing/formats/gltf.ts';
import { importFile } from '../../../testing/formats/import-file.ts';
import { makeZip } from '../../../testing/formats/zip.ts';
import { makeBox, makeGlb, makeUnpackedBox } from '../../../testing/models.ts';
import { createBufferReader } from '../../validation/byte-reader.ts';
import { validateModel } from '../validate-model.ts';

const BOX = { min: [-1, -1, -1], max: [1, 1, 1], triangles: 12, nodes: ['Lid'] };

describe('glTF import', () => {
  it('reads a GLB', async () => {
    const glb = makeBox({ size: 2, name: 'Lid', spinning: true });
    const { model, codes } = await importFile(glb, 'glb');
    assert.partialDeepStrictEqual(model, { ...BOX, animations: ['Spin'] });
    assert.deepEqual(codes, []);
  });

  it('reads a glTF with its data in data: URIs', async () => {
    const { gltf } = makeGltf({ size: 2, name: 'Lid', textured: true, color: [0, 0.5, 0] });
    const { model, codes } = await importFile(gltf, 'gltf');
    assert.partialDeepStrictEqual(model, { ...BOX, textures: [''] });
    assert.deepEqual(model.materials[0]?.color, [0, 0.5, 0, 1]);
    assert.deepEqual(codes, []);
  });

  it('reads files with encoded names and in other folders of the archive', async () => {
    const externalUris = { bin: '../data%20of/box.bin', image: 'pictures/white.png' };
    const { gltf, bin, image } = makeGltf({ size: 2, name: 'Lid', textured: true, externalUris });
    const zip = makeZip({
      'm/box.gltf': gltf,
      'data of/box.bin': bin,
      'm/pictures/white.png': image,
    });
    const { model, document } = await importFile(zip, 'gltf', 'm/box.gltf');
    assert.partialDeepStrictEqual(model, { ...BOX, textures: ['white.png'] });
    assert.deepEqual(document.getRoot().listTextures()[0]?.getSize(), [4, 4]);
  });

  it('reads a GLB whose textures are other files of the archive', async () => {
    const { json, bin } = makeUnpackedBox({ size: 2, name: 'Lid', textured: true });
    const glb = makeGlb({ json: { ...json, images: [{ uri: 'Textures/white.png' }] }, bin });
    const { image } = makeGltf();
    const zip = makeZip({ 'm/box.glb': glb, 'm/textures/white.png': image });
    assert.equal((await validateModel(createBufferReader(zip))).stats?.textures, 1);
    const { model, document } = await importFile(zip, 'glb', 'm/box.glb');
    assert.partialDeepStrictEqual(model, { ...BOX, textures: ['white.png'] });
    assert.deepEqual(document.getRoot().listTextures()[0]?.getSize(), [4, 4]);
    const lonely = validateModel(createBufferReader(glb));
    await assert.rejects(lonely, /needs the file "Textures\/white.png".* Send both in one zip/);
  });

  it('reads the file that was validated where two match', async () => {
    const { gltf, bin } = makeGltf({ size: 2, externalUris: { bin: 'a%20b.bin' } });
    const { bin: smallBin } = makeGltf({ size: 1, externalUris: { bin: 'a%20b.bin' } });
    const zip = makeZip({ 'box.gltf': gltf, 'a%20b.bin': smallBin, 'a b.bin': bin });
    const { stats } = await validateModel(createBufferReader(zip));
    const { model } = await importFile(zip, 'gltf', 'box.gltf');
    assert.deepEqual(stats?.bounds?.max, [1, 1, 1]);
    assert.deepEqual(model.max, stats?.bounds?.max);
  });

  it('leaves out a texture whose file is missing, with a warning', async () => {
    const externalUris = { bin: 'box.bin', image: 'white.png' };
    const { gltf, bin } = makeGltf({ textured: true, externalUris });
    const zip = makeZip({ 'box.gltf': gltf, 'box.bin': bin });
    const { model, warnings } = await importFile(zip, 'gltf', 'box.gltf');
    assert.deepEqual(model.textures, []);
    const message = 'The texture "white.png" was not uploaded with the model.';
    assert.deepEqual(warnings, [{ code: 'texture.missing', message }]);
  });

  const outsideUris: [place: string, uri: string][] = [
    ['at an absolute path', '/etc/hostname'],
    ['above the archive', '../../../../etc/hostname'],
    ['at a file: URL', 'file:///etc/hostname'],
    ['on the network', 'http://localhost:1/box.bin'],
    ['at a path with backslashes', '..\\..\\etc\\hostname'],
    ['named like a property of every object', '__proto__'],
  ];
  for (const [place, uri] of outsideUris) {
    it(`reads no file ${place}`, async () => {
      const { gltf } = makeGltf({ externalUris: { bin: uri } });
      const zip = makeZip({ 'box.gltf': gltf, constructor: 'x' });
      await assert.rejects(importFile(zip, 'gltf', 'box.gltf'), {
        code: 'design.unreadable',
        message: /^The glTF needs the file ".*", which was not uploaded with it\.$/,
      });
      await assert.rejects(importFile(gltf, 'gltf'), { code: 'design.unreadable' });
    });
  }

  it('warns about extensions that are ignored', async () => {
    const { gltf } = makeGltf();
    const json = {
      ...JSON.parse(gltf.toString()),
      extensionsUsed: ['ACME_scent', 'KHR_materials_unlit'],
    };
    const { warnings } = await importFile(Buffer.from(JSON.stringify(json)), 'gltf');
    const message = 'The glTF extension "ACME_scent" was ignored.';
    assert.deepEqual(warnings, [{ code: 'extension.ignored', message }]);
  });
});
