import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importFile } from '../../../testing/formats/import-file.ts';
import { makeMtl, makeObj } from '../../../testing/formats/obj.ts';
import { makeRawZip } from '../../../testing/formats/raw-zip.ts';
import { makePng } from '../../../testing/png.ts';
import { createBufferReader } from '../../validation/byte-reader.ts';
import { validateModel } from '../validate-model.ts';

const OBJ = makeObj({
  materialLibrary: 'Küche.mtl',
  objects: [{ name: 'Größe', material: 'Küche' }],
}).toString();
const MTL = makeMtl('Küche', { Kd: '1 1 1', map_Kd: 'Tür.png' });

/** Names as they are stored in the archive, without the flag for UTF-8. */
const NAMES = {
  'UTF-8': (name: string) => Buffer.from(name),
  // As Windows Explorer writes it.
  'code page 850': (name: string) => Buffer.from(name.replace('ü', '\x81'), 'latin1'),
};
const TEXTS = {
  'UTF-8': (text: string) => Buffer.from(text),
  'Windows-1252': (text: string) => Buffer.from(text, 'latin1'),
};

describe('names with umlauts match', () => {
  for (const [nameEncoding, encodeName] of Object.entries(NAMES)) {
    for (const [objEncoding, encodeObj] of Object.entries(TEXTS)) {
      for (const [mtlEncoding, encodeMtl] of Object.entries(TEXTS)) {
        it(`in an OBJ in ${objEncoding}, an MTL in ${mtlEncoding} and a zip in ${nameEncoding}`, async () => {
          const zip = makeRawZip([
            { name: encodeName('a.obj'), bytes: encodeObj(OBJ), flags: 0 },
            { name: encodeName('Küche.mtl'), bytes: encodeMtl(MTL), flags: 0 },
            { name: encodeName('Tür.png'), bytes: makePng(2, 2, [255, 0, 0]), flags: 0 },
          ]);
          await validateModel(createBufferReader(zip));
          const { model, codes } = await importFile(zip, 'obj', 'a.obj');
          assert.deepEqual(codes, ['units.assumed']);
          assert.partialDeepStrictEqual(model, { nodes: ['Größe'], textures: ['Tür.png'] });
          assert.equal(model.materials[0]?.name, 'Küche');
        });
      }
    }
  }
});
