import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importFile } from '../../../testing/formats/import-file.ts';
import { makeOff, type OffOptions } from '../../../testing/formats/off.ts';
import { listVertexColors } from '../../../testing/formats/vertex-colors.ts';

const CUBE = { min: [0, 0, 0], max: [1, 1, 1], triangles: 12 };
const DEFAULT_GRAY = [0.6, 0.6, 0.6, 1];

const importText = (text: string) => importFile(Buffer.from(text), 'off');

describe('OFF import', () => {
  for (const [name, lineEnd] of [
    ['LF', '\n'],
    ['CR LF', '\r\n'],
    ['CR', '\r'],
  ] as const) {
    it(`reads lines that end with ${name}, as meters with Y up, with hard edges`, async () => {
      const { model, badNormals } = await importFile(makeOff({ lineEnd }), 'off');
      assert.partialDeepStrictEqual(model, CUBE);
      assert.deepEqual(model.materials[0]?.color, DEFAULT_GRAY);
      assert.deepEqual(badNormals, []);
    });
  }

  it('reads counts after the keyword, comments and empty lines', async () => {
    const text = makeOff().toString().replace('OFF\n8 6 12', '# a\nOFF8 6 # b\n\n# c');
    assert.partialDeepStrictEqual((await importText(text)).model, CUBE);
    const commented = await importText(text.replaceAll(/\d$/gm, '$& # 7'));
    assert.partialDeepStrictEqual(commented.model, CUBE);
  });

  it('triangulates a concave polygon', async () => {
    const { model } = await importText(
      'OFF 5 1 0\n0 0 0\n2 0 0\n2 2 0\n1 0.5 0\n0 2 0\n5 0 1 2 3 4\n',
    );
    assert.equal(model.triangles, 3);
  });

  const COLORS: [what: string, options: OffOptions, colors: string[], blend?: boolean][] = [
    [
      'vertex colors as bytes',
      { keyword: 'COFF', vertexData: ['255 0 0 255', '128 128 128 255'] },
      ['1,0,0,1', '0.216,0.216,0.216,1'],
    ],
    [
      'vertex colors as fractions, without alpha',
      { keyword: 'COFF', vertexData: ['1 0 0', '0.50196 0.50196 0.50196'] },
      ['1,0,0,1', '0.216,0.216,0.216,1'],
    ],
    [
      'vertex colors after normals and before texture coordinates',
      { keyword: 'STCNOFF', vertexData: ['0 0 1 255 0 0 0.5 0.5'] },
      ['1,0,0,1'],
    ],
    ['transparent vertices', { keyword: 'COFF', vertexData: ['255 0 0 51'] }, ['1,0,0,0.2'], true],
    [
      'an alpha of zero everywhere as opaque',
      { keyword: 'COFF', vertexData: ['9 255 0 0'] },
      ['0.003,1,0,1'],
    ],
    ['face colors as bytes', { faceData: ['255 0 0', '0 0 255 255'] }, ['1,0,0,1', '0,0,1,1']],
    ['face colors as fractions', { faceData: ['1 0 0', '0 0 1'] }, ['1,0,0,1', '0,0,1,1']],
    [
      'the default for faces without a color',
      { faceData: ['255 0 0', ''] },
      ['1,0,0,1', '0.6,0.6,0.6,1'],
    ],
    [
      'vertex colors rather than face colors',
      { keyword: 'COFF', vertexData: ['255 0 0'], faceData: ['0 255 0'] },
      ['1,0,0,1'],
    ],
  ];
  for (const [what, options, colors, blend = false] of COLORS) {
    it(`reads ${what}`, async () => {
      const { document, model } = await importFile(makeOff(options), 'off');
      assert.deepEqual(listVertexColors(document), new Set(colors));
      assert.partialDeepStrictEqual(model, CUBE);
      assert.partialDeepStrictEqual(model.materials, [
        { color: [1, 1, 1, 1], alphaMode: blend ? 'BLEND' : 'OPAQUE' },
      ]);
    });
  }

  it('keeps the normals of the file', async () => {
    const off = makeOff({ keyword: 'NOFF', vertexData: ['0 0 2'], faceData: ['255 0 0'] });
    const { document } = await importFile(off, 'off');
    const [primitive] = document.getRoot().listMeshes()[0]?.listPrimitives() ?? [];
    assert.equal(primitive?.getAttribute('NORMAL')?.getCount(), 8);
    assert.deepEqual(primitive?.getAttribute('NORMAL')?.getElement(7, []), [0, 0, 1]);
  });

  const INVALID: [why: string, text: string][] = [
    ['that ends early', makeOff().toString().slice(0, 60)],
    ['with an index without a vertex', makeOff().toString().replace('4 0 2', '4 0 8')],
    ['with a coordinate that is not a number', makeOff().toString().replace('0 0 0', '0 x 0')],
    ['with a face of too few corners', makeOff().toString().replace('4 0 2', '9 0 2')],
  ];
  for (const [why, text] of INVALID) {
    it(`rejects a file ${why}`, () =>
      assert.rejects(importText(text), { code: 'design.unreadable' }));
  }
});
