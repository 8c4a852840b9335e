import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Format } from '../../src/formats/registry.ts';
import { importFile } from './import-file.ts';

/** A change to a valid file, the codes of the warnings it causes, and a pattern for the last message. */
export type ImportWarningCase = [
  title: string,
  change: (text: string) => string,
  codes: string[],
  message?: RegExp,
];

/** Defines a test of the warnings about a valid file, and one for each change to it. */
export function testImportWarnings(
  format: Format,
  makeFile: () => Buffer,
  validFileCodes: string[],
  cases: ImportWarningCase[],
): void {
  it('report nothing more for a valid file', async () => {
    assert.deepEqual((await importFile(makeFile(), format)).codes, validFileCodes);
  });
  for (const [title, change, codes, message = /./] of cases) {
    it(`report ${title}`, async () => {
      const original = makeFile().toString('latin1');
      const changed = change(original);
      assert.notEqual(changed, original);
      const { warnings } = await importFile(Buffer.from(changed, 'latin1'), format);
      assert.deepEqual(
        warnings.map(({ code }) => code),
        [...validFileCodes, ...codes],
      );
      if (codes.length > 0) assert.match(warnings.at(-1)?.message ?? '', message);
    });
  }
}
