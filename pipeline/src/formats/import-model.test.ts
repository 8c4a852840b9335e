import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Problem } from '@cloche/contract/problem';
import { importFile } from '../../testing/formats/import-file.ts';
import { makeObj } from '../../testing/formats/obj.ts';
import { makeZip } from '../../testing/formats/zip.ts';
import { FORMATS, type Format } from './registry.ts';

describe('importModel', () => {
  const invalid = Buffer.from('\x01\x02 this is not a model \u202e\n'.repeat(20));
  for (const format of Object.keys(FORMATS) as Format[]) {
    it(`throws a problem for an invalid file: ${format}`, async () => {
      await assert.rejects(importFile(invalid, format), (problem) => {
        assert.ok(problem instanceof Problem);
        assert.equal(problem.code, 'design.unreadable');
        assert.match(problem.message, /^[\p{L}\p{N}\p{P}\p{S} ]{10,250}$/u);
        return true;
      });
    });
  }

  it('quotes the error of the library', async () => {
    await assert.rejects(importFile(Buffer.from('{"a": nope}'), 'gltf'), {
      message: /^The glTF could not be read: Unexpected token/,
    });
  });

  it('returns equal warnings once, and at most 20 with the same code', async () => {
    const objects = Array.from({ length: 50 }, (_, index) => ({
      name: `Part ${index}`,
      material: `material ${index % 30}`,
    }));
    const mtl = 'newmtl other\n';
    const zip = makeZip({ 'a.obj': makeObj({ materialLibrary: 'a.mtl', objects }), 'a.mtl': mtl });
    const { warnings } = await importFile(zip, 'obj', 'a.obj');
    const missing = warnings.filter(({ code }) => code === 'material.missing');
    assert.equal(missing.length, 21);
    assert.equal(missing.at(-1)?.message, 'There are 10 more warnings of this kind.');
  });
});
