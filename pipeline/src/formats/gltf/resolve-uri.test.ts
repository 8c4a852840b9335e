import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createEntryFinder } from '../../validation/zip/model-archive.ts';
import { resolveUri } from './resolve-uri.ts';

describe('resolveUri', () => {
  const rows: [reason: string, uri: string, entries: string[], path: string | undefined][] = [
    ['a name', 'a.bin', ['m/a.bin'], 'm/a.bin'],
    ['a name in another folder', '../b/a.bin', ['b/a.bin'], 'b/a.bin'],
    ['an encoded name', 'a%20b.bin', ['m/a b.bin'], 'm/a b.bin'],
    ['a name that is not encoded', 'a%20b.bin', ['m/a%20b.bin'], 'm/a%20b.bin'],
    ['the decoded name if both exist', 'a%20b.bin', ['m/a%20b.bin', 'm/a b.bin'], 'm/a b.bin'],
    ['a name with a percent sign', '100%.bin', ['m/100%.bin'], 'm/100%.bin'],
    ['a name in another case', 'Textures/A.PNG', ['m/textures/a.png'], 'm/textures/a.png'],
    ['the same case if both exist', 'A.bin', ['m/a.bin', 'm/A.bin'], 'm/A.bin'],
    ['a name with backslashes', 'textures\\a.png', ['m/textures/a.png'], 'm/textures/a.png'],
    ['separate accents, of macOS', 'M%C3%B6bel.bin', ['m/Mo\u0308bel.bin'], 'm/Mo\u0308bel.bin'],
    ['nothing at an absolute path', '/a.bin', ['a.bin', 'm/a.bin'], undefined],
    ['nothing in another scheme', 'file:a.bin', ['m/file:a.bin'], undefined],
    ['nothing above the archive', '../../a.bin', ['a.bin', 'm/a.bin'], undefined],
  ];
  for (const [reason, uri, entries, path] of rows) {
    it(`finds ${reason}`, () => {
      assert.equal(resolveUri(uri, 'm/model.gltf', createEntryFinder(entries)), path);
    });
  }
});
