import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importFile } from '../../../testing/formats/import-file.ts';
import { makeStl } from '../../../testing/formats/stl.ts';
import { createBufferReader } from '../../validation/byte-reader.ts';
import { validateModel } from '../validate-model.ts';

const TEXT = makeStl({ ascii: true, name: 'left lid' }).toString();
const FACET_PER_LINE = TEXT.replace(/\s+(?!solid|endsolid|facet|$)/g, ' ');
const CUBE = { min: [0, 0, -0.01], max: [0.01, 0.01, 0], triangles: 12 };

describe('an ASCII STL is read', () => {
  const rows: [layout: string, text: string, names: string[]][] = [
    ['with a facet on each line', FACET_PER_LINE, ['left lid']],
    ['with a loop on each line', TEXT.replace(/\s+(?=vertex|endloop)/g, ' '), ['left lid']],
    ['with tabs', TEXT.replace(/(?<=\n) +/g, '\t').replace(/(?<=\d) /g, '\t'), ['left lid']],
    ['with lines that end with CR', TEXT.replaceAll('\n', '\r'), ['left lid']],
    ['on one line', TEXT.replace(/\s+/g, ' '), ['left lid']],
    ['of two solids on one line', `${TEXT}${TEXT}`.replace(/\s+/g, ' '), ['left lid', 'left lid']],
    [
      'with keywords in its name',
      TEXT.replaceAll('left lid', 'a facet vertex'),
      ['a facet vertex'],
    ],
  ];
  for (const [layout, text, names] of rows) {
    it(layout, async () => {
      await validateModel(createBufferReader(Buffer.from(text)));
      const { model } = await importFile(Buffer.from(text), 'stl');
      assert.partialDeepStrictEqual(model, { ...CUBE, triangles: 12 * names.length });
      assert.deepEqual(model.nodes, names);
    });
  }
});

describe('an ASCII STL with a facet on each line is refused', () => {
  const change = (from: string | RegExp, to: string) => FACET_PER_LINE.replace(from, to);
  const rows: [why: string, text: string, detail: RegExp][] = [
    [
      'if a facet has two vertices',
      change(/ vertex [^v]*(?= endloop)/, ''),
      /^A triangle in or before line 2 of the STL has 2 vertices/,
    ],
    [
      'if a facet has four vertices',
      change(' endloop', ' vertex 1 1 1 endloop'),
      /^A triangle in or before line 2 of the STL has 4 vertices/,
    ],
    ['if a vertex is outside of a facet', change(/facet normal 0 0 0/, ''), /^Line 2 .* outside/],
    [
      'if a coordinate is not a number',
      change('vertex 0', 'vertex nan'),
      /^Line 2 .* not a finite/,
    ],
    ['if its end is missing', change(/endsolid.*/, ''), /its end is missing/],
  ];
  for (const [why, text, message] of rows) {
    it(why, () =>
      assert.rejects(validateModel(createBufferReader(Buffer.from(text))), {
        code: 'design.unreadable',
        message,
      }),
    );
  }
});
