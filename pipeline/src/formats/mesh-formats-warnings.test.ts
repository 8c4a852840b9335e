import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { make3mf } from '../../testing/formats/3mf.ts';
import { importFile } from '../../testing/formats/import-file.ts';
import { testImportWarnings } from '../../testing/formats/import-warnings.ts';
import { makeMtl, makeObj } from '../../testing/formats/obj.ts';
import { makePly } from '../../testing/formats/ply.ts';
import { makeStl } from '../../testing/formats/stl.ts';
import { makeZip } from '../../testing/formats/zip.ts';
import { makePng } from '../../testing/models.ts';

describe('OBJ and MTL, what is not read', () => {
  testImportWarnings(
    'obj',
    makeObj,
    ['units.assumed'],
    [['points', (text) => `${text}p 1\n`, ['lines.unread'], /points/]],
  );

  const MTL: [why: string, says: { [keyword: string]: string }, what?: string][] = [
    [
      'nothing that says nothing',
      {
        Kd: '1 0 0',
        Ka: '1 1 1',
        Ni: '1.45',
        illum: '2',
        Tf: '1 1 1',
        aniso: '0',
        Pc: '0.0',
        Pcr: '0.03',
      },
    ],
    ['nothing of options that change nothing', { map_Kd: '-s 1 1 1 -o 0 0 0 -bm 1.0 a.png' }],
    ['refraction', { illum: '7' }, 'refraction'],
    ['a filter', { Tf: '1 0 0' }, '"tf"'],
    ['a picture of gloss', { map_Ns: 'a.png' }, '"map_ns"'],
    ['a coat', { Pc: '0.5' }, '"pc"'],
    ['a picture that is moved', { map_Kd: '-o 0.5 0 0 a.png' }, 'the option "-o" of a picture'],
    ['a picture that ends', { map_Kd: '-clamp on a.png' }, 'the option "-clamp" of a picture'],
  ];
  for (const [why, says, what] of MTL) {
    it(`tells of ${why}`, async () => {
      const objects = [{ name: 'A', material: 'm' }];
      const zip = makeZip({
        'a.obj': makeObj({ materialLibrary: 'a.mtl', objects }),
        'a.mtl': makeMtl('m', says),
        'a.png': makePng(2, 2, [128, 128, 255]),
      });
      const { warnings } = await importFile(zip, 'obj', 'a.obj');
      assert.deepEqual(
        warnings.slice(1).map(({ message }) => message),
        what === undefined ? [] : [`The material "m" has ${what}, which was not read.`],
      );
    });
  }
});

describe('PLY, what is not read', () => {
  const property = (name: string) => (text: string) =>
    text
      .replace('property uchar blue\n', `property uchar blue\nproperty float ${name}\n`)
      .replaceAll(/ 255\n/g, ' 255 1\n');
  testImportWarnings(
    'ply',
    makePly,
    ['units.assumed'],
    [
      ['a property of vertices', property('quality'), ['properties.unread'], /"quality"/],
      ['nothing of flags', property('flags'), []],
      [
        'colours of faces',
        (text) =>
          text
            .replace('vertex_indices\n', 'vertex_indices\nproperty uchar red\n')
            .replaceAll(/^4 .*$/gm, '$& 9'),
        ['properties.unread'],
        /"red of face"/,
      ],
      [
        'edges',
        (text) =>
          `${text.replace('end_header', 'element edge 1\nproperty int vertex1\nend_header')}0\n`,
        ['properties.unread'],
        /"edge"/,
      ],
    ],
  );
});

describe('3MF, what is not read', () => {
  const model = (change: string, triangle = '') =>
    makeZip({
      '3D/3dmodel.model': `<model unit="meter"><resources>${change}<object id="1"><mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/></vertices><triangles><triangle v1="0" v2="1" v3="2" ${triangle}/></triangles></mesh></object></resources><build><item objectid="1"/></build></model>`,
    });
  const ROWS: [why: string, file: Buffer, codes: string[]][] = [
    ['nothing of a plain file', make3mf(), []],
    ['nothing of a plain model', model(''), []],
    ['what was painted in a slicer', model('', 'paint_color="8"'), ['extension.unread']],
    ['metal', model('<pbmetallicdisplayproperties id="9"/>'), ['extension.unread']],
    ['beams', model('<b:beamlattice/>'), ['extension.unread']],
  ];
  for (const [why, file, codes] of ROWS) {
    it(`tells of ${why}`, async () => {
      assert.deepEqual((await importFile(file, '3mf')).codes, codes);
    });
  }
});

describe('STL, what is not read', () => {
  it('tells of colours only where numbers look like these', async () => {
    const stl = makeStl();
    const codesWith = async (number: number) => {
      const painted = Buffer.from(stl);
      painted.writeUInt16LE(number, 84 + 48);
      return (await importFile(painted, 'stl')).codes;
    };
    assert.deepEqual(await codesWith(0), ['units.assumed']);
    assert.deepEqual(await codesWith(0xffff), ['units.assumed']);
    assert.deepEqual(await codesWith(0x801f), ['units.assumed', 'colours.unread']);
  });
});
