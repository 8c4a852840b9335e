import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importFile } from '../../testing/formats/import-file.ts';
import { makeMtl } from '../../testing/formats/obj.ts';
import { makeZip } from '../../testing/formats/zip.ts';
import {
  makeMinimalAsciiPly,
  makeMinimalAsciiStl,
  makeMinimalObj,
} from '../../testing/hostile/valid-files.ts';
import { createBufferReader } from '../validation/byte-reader.ts';
import type { Format } from './registry.ts';
import { validateModel } from './validate-model.ts';

/** NaN and infinity as older C libraries of Microsoft print them, with different precisions. */
const TEXTS = ['1.#QNAN', '-1.#IND', '-1.#IND00', '1.#INF00', '-1.#INF', '1.#QO', '1.#J', '1.$'];

const COORDINATES: [format: Format, write: (number: string) => string][] = [
  ['obj', (number) => makeMinimalObj(`v 0 ${number} 0`)],
  ['obj', (number) => makeMinimalObj(`v 0 0 ${number}`)],
  ['stl', (number) => makeMinimalAsciiStl(`0 1 ${number}`)],
  ['ply', (number) => makeMinimalAsciiPly({ rows: `0 0 ${number}\n1 0 0\n0 1 0\n3 0 1 2\n` })],
  ['off', (number) => `OFF\n3 1 0\n${number} 0 0\n1 0 0\n0 1 0\n3 0 1 2\n`],
  ['off', (number) => `OFF\n3 1 0\n0 0 ${number}\n1 0 0\n0 1 0\n3 0 1 2\n`],
];

describe('NaN and infinity of old Microsoft compilers', () => {
  for (const [format, write] of COORDINATES) {
    it(`are refused as coordinates: ${format} with ${JSON.stringify(write('1.#IND').match(/.*1\.#IND.*/)?.[0])}`, async () => {
      for (const text of TEXTS) {
        const file = Buffer.from(write(text));
        await assert.rejects(
          validateModel(createBufferReader(file)),
          { code: 'design.unreadable', reason: 'not-finite' },
          text,
        );
        await assert.rejects(importFile(file, format), { code: 'design.unreadable' }, text);
      }
    });
  }

  it('are ignored in normals and texture coordinates', async () => {
    const obj = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 1.#IND 0.5\nvn -1.#IND 0 1\nf 1/1/1 2/1/1 3/1/1\n';
    await validateModel(createBufferReader(Buffer.from(obj)));
    const { document } = await importFile(Buffer.from(obj), 'obj');
    const [primitive] = document.getRoot().listMeshes()[0]?.listPrimitives() ?? [];
    assert.deepEqual(primitive?.getAttribute('TEXCOORD_0')?.getElement(0, []), [0, 0.5]);
    assert.deepEqual(primitive?.getAttribute('NORMAL')?.getElement(0, []), [0, 0, 1]);
  });

  it('are ignored in materials', async () => {
    const importWith = (number: string) =>
      importFile(
        makeZip({
          'a.obj': 'mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 1 2 3\n',
          'a.mtl': makeMtl('a', { Kd: `${number} ${number} ${number}`, Ns: number, Pm: number }),
        }),
        'obj',
        'a.obj',
      );
    const { model } = await importWith('-1.#IND');
    assert.deepEqual(model.materials, (await importWith('nan')).model.materials);
  });

  it('are not comments after a number', async () => {
    const obj = makeMinimalObj('v 0 0 1. # nan\nv 0 0 1.# 5');
    await validateModel(createBufferReader(Buffer.from(obj)));
  });
});
