import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { SAMPLE_FILES } from '../../testing/formats/sample-files.ts';
import { makeZip } from '../../testing/formats/zip.ts';
import { createBufferReader } from '../validation/byte-reader.ts';
import { FORMATS, listFormats } from './registry.ts';
import { validateModel } from './validate-model.ts';

const DOCS = join(import.meta.dirname, '../../../docs');
const readPage = (name: string) => readFileSync(join(DOCS, name), 'utf8');
const validateBytes = (bytes: Buffer) => validateModel(createBufferReader(bytes));

describe('FORMATS', () => {
  for (const [format, { archive, extensions, load }] of listFormats()) {
    it(`${format} detects its sample file and loads its import`, async () => {
      const { detectedFormat } = await validateBytes(SAMPLE_FILES[format]());
      assert.deepEqual(detectedFormat, { format });
      assert.equal(typeof (await load()), 'function');
    });

    for (const extension of extensions) {
      const modelPath = `a/model.${extension.toUpperCase()}`;
      const outcome = archive === 'optional' ? 'accepts' : 'refuses';
      it(`${format} ${outcome} a zip of a .${extension}`, async () => {
        const bytes = makeZip({ [modelPath]: SAMPLE_FILES[format]() });
        if (archive === 'optional') {
          assert.deepEqual((await validateBytes(bytes)).detectedFormat, { format, modelPath });
        } else {
          await assert.rejects(validateBytes(bytes), { reason: 'lone-model' });
        }
      });
    }
  }

  it('has each extension once', () => {
    const extensions = listFormats().flatMap(([, definition]) => definition.extensions);
    assert.deepEqual(extensions, [...new Set(extensions)]);
  });
});

describe('the documentation', () => {
  it('lists the formats, and no other, in the table of docs/designs.md', () => {
    const [table = ''] =
      /\| Format \| What is imported \|\n\|.*\n(\|.*\n)+/.exec(readPage('designs.md')) ?? [];
    const cells = [...table.matchAll(/^\| ([^|]+) \|/gm)].slice(1).map(([, cell = '']) => cell);
    const names = Object.values(FORMATS).map(({ name }) => name);
    const listed = cells.map((cell) => names.filter((name) => cell.split(/[ ,]+/).includes(name)));
    assert.deepEqual(
      cells.filter((_, row) => listed[row]?.length === 0),
      [],
      'rows without a format',
    );
    assert.deepEqual([...new Set(listed.flat())].sort(), [...names].sort());
  });

  it('quotes the message about an unsupported file in docs/problems.md', async () => {
    const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
    await assert.rejects(validateBytes(png), ({ message }: Error) => {
      assert.ok(readPage('problems.md').includes(`> ${message}\n`), message);
      return true;
    });
  });
});
