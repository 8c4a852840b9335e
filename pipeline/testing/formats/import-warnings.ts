import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Format } from '../../src/formats/registry.ts';
import { importFile } from './import-file.ts';

/** A change to a valid file, the codes of the warnings it causes, and a pattern of the last one. */
export type ImportWarningCase = [
  why: string,
  change: (text: string) => string,
  codes: string[],
  message?: RegExp,
];

/** Defines a test of the warnings about a valid file, and one for each change to it. */
export function testImportWarnings(
  format: Format,
  makeFile: () => Buffer,
  usualCodes: string[],
  cases: ImportWarningCase[],
): void {
  it('give nothing else for a valid file', async () => {
    assert.deepEqual((await importFile(makeFile(), format)).codes, usualCodes);
  });
  for (const [why, change, codes, message = /./] of cases) {
    it(`report ${why}`, async () => {
      const original = makeFile().toString('latin1');
      const changed = change(original);
      assert.notEqual(changed, original);
      const { warnings } = await importFile(Buffer.from(changed, 'latin1'), format);
      assert.deepEqual(
        warnings.map(({ code }) => code),
        [...usualCodes, ...codes],
      );
      if (codes.length > 0) assert.match(warnings.at(-1)?.message ?? '', message);
    });
  }
}
