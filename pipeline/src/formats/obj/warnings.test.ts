import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importFile } from '../../../testing/formats/import-file.ts';
import { testImportWarnings } from '../../../testing/formats/import-warnings.ts';
import { makeMtl, makeObj } from '../../../testing/formats/obj.ts';
import { makeZip } from '../../../testing/formats/zip.ts';
import { makePng } from '../../../testing/png.ts';

describe('OBJ warnings', () => {
  testImportWarnings(
    'obj',
    makeObj,
    ['units.assumed'],
    [['points', (text) => `${text}p 1\n`, ['lines.ignored'], /points/]],
  );
});

describe('MTL warnings', () => {
  const NO_EFFECT = {
    Kd: '1 0 0',
    Ka: '1 1 1',
    Ni: '1.45',
    illum: '2',
    Tf: '1 1 1',
    aniso: '0',
    Pc: '0.0',
    Pcr: '0.03',
  };
  const ROWS: [
    title: string,
    statements: { [keyword: string]: string },
    feature: string | undefined,
  ][] = [
    ['no statements without effect', NO_EFFECT, undefined],
    ['no options without effect', { map_Kd: '-s 1 1 1 -o 0 0 0 -bm 1.0 a.png' }, undefined],
    ['refraction', { illum: '7' }, 'refraction'],
    ['a transmission filter', { Tf: '1 0 0' }, '"tf"'],
    ['a shininess texture', { map_Ns: 'a.png' }, '"map_ns"'],
    ['a clear coat', { Pc: '0.5' }, '"pc"'],
    ['a texture offset', { map_Kd: '-o 0.5 0 0 a.png' }, 'the texture option "-o"'],
    [
      'a texture that does not repeat',
      { map_Kd: '-clamp on a.png' },
      'the texture option "-clamp"',
    ],
  ];
  for (const [title, statements, feature] of ROWS) {
    it(`report ${title}`, async () => {
      const objects = [{ name: 'A', material: 'm' }];
      const zip = makeZip({
        'a.obj': makeObj({ materialLibrary: 'a.mtl', objects }),
        'a.mtl': makeMtl('m', statements),
        'a.png': makePng(2, 2, [128, 128, 255]),
      });
      const { warnings } = await importFile(zip, 'obj', 'a.obj');
      assert.deepEqual(
        warnings.slice(1).map(({ message }) => message),
        feature === undefined ? [] : [`The material "m" has ${feature}, which was ignored.`],
      );
    });
  }
});
