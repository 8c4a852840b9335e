import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importFile } from '../../../testing/formats/import-file.ts';
import { makeStl } from '../../../testing/formats/stl.ts';

describe('STL warnings', () => {
  const ROWS: [attribute: number, codes: string[]][] = [
    [0, ['units.assumed']],
    [0xffff, ['units.assumed']],
    [0x801f, ['units.assumed', 'colors.ignored']],
  ];
  for (const [attribute, codes] of ROWS) {
    it(`are ${codes.join(' and ')} if a facet has the attribute ${attribute}`, async () => {
      const stl = makeStl();
      stl.writeUInt16LE(attribute, 84 + 48);
      assert.deepEqual((await importFile(stl, 'stl')).codes, codes);
    });
  }

  it('do not report colors that are read', async () => {
    assert.deepEqual((await importFile(makeStl({ color: [0, 1, 0] }), 'stl')).codes, [
      'units.assumed',
    ]);
  });
});
