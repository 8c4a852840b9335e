import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importFile } from '../../../testing/formats/import-file.ts';
import { makeStl } from '../../../testing/formats/stl.ts';
import { listVertexColors } from '../../../testing/formats/vertex-colors.ts';

/** The cube of 10 mm with Z up, in meters with Y up: its top is now at the back. */
const CUBE = { min: [0, 0, -0.01], max: [0.01, 0.01, 0], triangles: 12 };

describe('STL import', () => {
  for (const ascii of [true, false]) {
    it(`reads ${ascii ? 'ASCII' : 'binary'} as millimeters with Z up, with hard edges`, async () => {
      const { model, badNormals } = await importFile(makeStl({ ascii, name: 'solid lid' }), 'stl');
      assert.partialDeepStrictEqual(model, { ...CUBE, nodes: [ascii ? 'solid lid' : ''] });
      assert.deepEqual(badNormals, []);
    });
  }

  it('reads ASCII with upper-case keywords and a header that could be that of a binary file', async () => {
    const text = makeStl({ ascii: true, name: 'lid' }).toString().toUpperCase();
    const header = Buffer.alloc(84, ' ');
    header.write('SOLID LID');
    // A binary file of one facet, except that its size does not match.
    header.writeUInt32LE(1, 80);
    const stl = Buffer.concat([header, Buffer.from(text.slice(text.indexOf('\n')))]);
    assert.partialDeepStrictEqual((await importFile(stl, 'stl')).model, CUBE);
  });

  it('creates a node for each solid', async () => {
    const bytes = Buffer.concat([
      makeStl({ ascii: true, name: 'a' }),
      makeStl({ ascii: true, name: 'b' }),
    ]);
    const { model } = await importFile(bytes, 'stl');
    assert.deepEqual(model.nodes, ['a', 'b']);
    assert.equal(model.triangles, 24);
  });

  it('reads the colors of facets', async () => {
    const { document } = await importFile(makeStl({ color: [0, 0.5, 1] }), 'stl');
    assert.deepEqual(listVertexColors(document), new Set(['1,0,0,1', '0,0.216,1,1']));
  });

  const INVALID: [title: string, bytes: Buffer][] = [
    [
      'with a coordinate that is not a number',
      Buffer.from(makeStl({ ascii: true }).toString().replace('vertex 0', 'vertex x')),
    ],
    ['that ends early', makeStl().subarray(0, 200)],
  ];
  for (const [title, bytes] of INVALID) {
    it(`rejects a file ${title}`, async () => {
      await assert.rejects(importFile(bytes, 'stl'), { code: 'design.unreadable' });
    });
  }
});
