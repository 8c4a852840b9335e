import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { make3mf } from '../../../testing/formats/3mf.ts';
import { importFile } from '../../../testing/formats/import-file.ts';
import { makeZip } from '../../../testing/formats/zip.ts';

const makeModel = (resources: string, triangleAttributes = '') =>
  makeZip({
    '3D/3dmodel.model': `<model unit="meter"><resources>${resources}<object id="1"><mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/></vertices><triangles><triangle v1="0" v2="1" v3="2" ${triangleAttributes}/></triangles></mesh></object></resources><build><item objectid="1"/></build></model>`,
  });

describe('3MF warnings', () => {
  const ROWS: [title: string, file: Buffer, codes: string[]][] = [
    ['nothing about a valid file', make3mf(), []],
    ['nothing about a minimal model', makeModel(''), []],
    ['colors painted in a slicer', makeModel('', 'paint_color="8"'), ['extension.ignored']],
    [
      'metallic properties',
      makeModel('<pbmetallicdisplayproperties id="9"/>'),
      ['extension.ignored'],
    ],
    ['beam lattices', makeModel('<b:beamlattice/>'), ['extension.ignored']],
  ];
  for (const [title, file, codes] of ROWS) {
    it(`report ${title}`, async () => {
      assert.deepEqual((await importFile(file, '3mf')).codes, codes);
    });
  }
});
