import { describe } from 'node:test';
import { makeIges } from '../../../testing/formats/iges.ts';
import { testImportWarnings } from '../../../testing/formats/import-warnings.ts';

/** Changes a field of the first entity in the directory section of an IGES file. */
const withDirectoryField = (column: number, value: string) => (text: string) =>
  text.replace(
    /^.{72}D {6}1$/m,
    (line) => line.slice(0, 8 * column - 8) + value.padStart(8) + line.slice(8 * column),
  );

describe('IGES warnings', () => {
  testImportWarnings(
    'iges',
    makeIges,
    [],
    [
      ['layers', withDirectoryField(5, '3'), ['layers.ignored']],
      ['hidden parts', withDirectoryField(9, '01000000'), ['hidden.shown']],
      [
        'nothing about a hidden surface that another entity uses',
        withDirectoryField(9, '01010000'),
        [],
      ],
      ['notes', withDirectoryField(1, '212'), ['annotations.ignored']],
      ['curves', withDirectoryField(1, '110'), ['lines.ignored']],
      [
        'nothing about the curve of a surface',
        (text) => withDirectoryField(9, '00010000')(withDirectoryField(1, '110')(text)),
        [],
      ],
    ],
  );
});
