import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Format } from '../../src/formats/registry.ts';
import { importFile } from './import-file.ts';

/** What is put into a plain file, and the codes and a word of what is told then. */
export type ImportWarningCase = [
  why: string,
  change: (text: string) => string,
  codes: string[],
  says?: RegExp,
];

/** Makes a test of a plain file, and of each change to it; `usual` are the codes that all have. */
export function testImportWarnings(
  format: Format,
  make: () => Buffer,
  usual: string[],
  rows: ImportWarningCase[],
): void {
  it('tells nothing of a plain file', async () => {
    assert.deepEqual((await importFile(make(), format)).codes, usual);
  });
  for (const [why, change, codes, says = /./] of rows) {
    it(`tells of ${why}`, async () => {
      const plain = make().toString('latin1');
      const changed = change(plain);
      assert.notEqual(changed, plain);
      const { warnings } = await importFile(Buffer.from(changed, 'latin1'), format);
      assert.deepEqual(
        warnings.map(({ code }) => code),
        [...usual, ...codes],
      );
      if (codes.length > 0) assert.match(warnings.at(-1)?.message ?? '', says);
    });
  }
}
