import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importFile } from '../../testing/formats/import-file.ts';
import { makeMtl, makeObj } from '../../testing/formats/obj.ts';
import { makeOff } from '../../testing/formats/off.ts';
import { makePly } from '../../testing/formats/ply.ts';
import { makeStl } from '../../testing/formats/stl.ts';
import { makeZip } from '../../testing/formats/zip.ts';
import { listValidFiles } from '../../testing/hostile/valid-files.ts';
import { createBufferReader } from '../validation/byte-reader.ts';
import type { Format } from './registry.ts';
import { validateModel } from './validate-model.ts';

const withMark = (text: Buffer | string) => Buffer.from(`\ufeff${text}`);

describe('a byte order mark is ignored in', () => {
  const gltf = listValidFiles().find(({ format }) => format === 'gltf');
  const rows: [name: string, file: Buffer, format: Format][] = [
    [
      'an OBJ whose first line is a vertex',
      Buffer.from('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n'),
      'obj',
    ],
    ['an OBJ', makeObj(), 'obj'],
    ['an ASCII STL', makeStl({ ascii: true, name: 'lid' }), 'stl'],
    ['an ASCII PLY', makePly(), 'ply'],
    ['an OFF', makeOff(), 'off'],
    ['a glTF', gltf?.bytes ?? assert.fail(), 'gltf'],
  ];
  for (const [name, file, format] of rows) {
    it(name, async () => {
      const marked = withMark(file);
      const { detectedFormat } = await validateModel(createBufferReader(marked));
      assert.equal(detectedFormat.format, format);
      const { model, codes } = await importFile(marked, format);
      const expected = await importFile(file, format);
      assert.deepEqual([model, codes], [expected.model, expected.codes]);
    });
  }

  it('an OBJ and its MTL, whose first statements are needed', async () => {
    const zip = makeZip({
      'a.obj': withMark('mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n'),
      'a.mtl': withMark(makeMtl('red', { Kd: '1 0 0' })),
    });
    await validateModel(createBufferReader(zip));
    const { model, codes } = await importFile(zip, 'obj', 'a.obj');
    assert.deepEqual(codes, ['units.assumed']);
    assert.partialDeepStrictEqual(model.materials, [{ name: 'red', color: [1, 0, 0, 1] }]);
  });
});
