import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Problem } from '@cloche/contract/problem';
import { makeGltf } from '../../testing/formats/gltf.ts';
import { importFile } from '../../testing/formats/import-file.ts';
import { makeObj } from '../../testing/formats/obj.ts';
import { makeZip } from '../../testing/formats/zip.ts';
import { makeBox } from '../../testing/models.ts';
import { FORMATS, type Format } from './registry.ts';

const BOX = { min: [-1, -1, -1], max: [1, 1, 1], triangles: 12, nodes: ['Lid'] };

describe('glTF', () => {
  it('is read from a GLB', async () => {
    const { model, codes } = await importFile(
      makeBox({ size: 2, name: 'Lid', spinning: true }),
      'glb',
    );
    assert.partialDeepStrictEqual(model, { ...BOX, animations: ['Spin'] });
    assert.deepEqual(codes, []);
  });

  it('is read from JSON with its data within', async () => {
    const { gltf } = makeGltf({ size: 2, name: 'Lid', textured: true, color: [0, 0.5, 0] });
    const { model, codes } = await importFile(gltf, 'gltf');
    assert.partialDeepStrictEqual(model, { ...BOX, textures: [''] });
    assert.deepEqual(model.materials[0]?.color, [0, 0.5, 0, 1]);
    assert.deepEqual(codes, []);
  });

  it('is read from an archive, with files whose names are encoded or in other folders', async () => {
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

  it('tells of a picture that is missing, and lets it go', async () => {
    const externalUris = { bin: 'box.bin', image: 'white.png' };
    const { gltf, bin } = makeGltf({ textured: true, externalUris });
    const { model, warnings } = await importFile(
      makeZip({ 'box.gltf': gltf, 'box.bin': bin }),
      'gltf',
      'box.gltf',
    );
    assert.deepEqual(model.textures, []);
    const message = 'The texture "white.png" did not come with the model.';
    assert.deepEqual(warnings, [{ code: 'texture.missing', message }]);
  });

  const ELSEWHERE: [why: string, uri: string][] = [
    ['on the disk', '/etc/hostname'],
    ['above the archive', '../../../../etc/hostname'],
    ['on the disk, by a scheme', 'file:///etc/hostname'],
    ['on the network', 'http://localhost:1/box.bin'],
    ['with backslashes', '..\\..\\etc\\hostname'],
    ['as a member of every object', '__proto__'],
  ];
  for (const [why, uri] of ELSEWHERE) {
    it(`reads nothing ${why}`, async () => {
      const { gltf } = makeGltf({ externalUris: { bin: uri } });
      const read = importFile(makeZip({ 'box.gltf': gltf, constructor: 'x' }), 'gltf', 'box.gltf');
      await assert.rejects(read, {
        code: 'design.unreadable',
        message: /^The glTF needs the file ".*", which did not come with it\.$/,
      });
      await assert.rejects(importFile(gltf, 'gltf'), { code: 'design.unreadable' });
    });
  }

  it('tells of extensions that nobody here reads', async () => {
    const { gltf } = makeGltf();
    const json = {
      ...JSON.parse(gltf.toString()),
      extensionsUsed: ['ACME_scent', 'KHR_materials_unlit'],
    };
    const { warnings } = await importFile(Buffer.from(JSON.stringify(json)), 'gltf');
    const message = 'The glTF extension "ACME_scent" was not read.';
    assert.deepEqual(warnings, [{ code: 'extension.unread', message }]);
  });
});

describe('what cannot be read', () => {
  const GARBAGE = Buffer.from('\x01\x02 this is no model at all \u202e\n'.repeat(20));
  for (const format of Object.keys(FORMATS) as Format[]) {
    it(`ends as a problem: ${format}`, async () => {
      const read = importFile(GARBAGE, format).then(
        () => undefined,
        (problem: unknown) => problem,
      );
      const problem = await read;
      assert.ok(problem instanceof Problem);
      assert.equal(problem.code, 'design.unreadable');
      assert.match(problem.message, /^[\p{L}\p{N}\p{P}\p{S} ]{10,250}$/u);
    });
  }

  it('has the words of the library', async () => {
    await assert.rejects(importFile(Buffer.from('{"a": nope}'), 'gltf'), {
      message: /^The glTF could not be read: Unexpected token/,
    });
  });

  it('says the same thing once, and not a thousand different ones', async () => {
    const objects = Array.from({ length: 50 }, (_, at) => ({
      name: `Part ${at}`,
      material: `material ${at % 30}`,
    }));
    const mtl = 'newmtl other\n';
    const zip = makeZip({ 'a.obj': makeObj({ materialLibrary: 'a.mtl', objects }), 'a.mtl': mtl });
    const { warnings } = await importFile(zip, 'obj', 'a.obj');
    const missing = warnings.filter(({ code }) => code === 'material.missing');
    assert.equal(missing.length, 21);
    assert.equal(missing.at(-1)?.message, 'And 10 more of that kind.');
  });
});
