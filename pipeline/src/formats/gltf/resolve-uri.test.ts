import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resolveUri } from './resolve-uri.ts';

describe('resolveUri', () => {
  const rows: [reason: string, uri: string, entries: string[], path: string | undefined][] = [
    ['a name', 'a.bin', ['m/a.bin'], 'm/a.bin'],
    ['a name in another folder', '../b/a.bin', ['b/a.bin'], 'b/a.bin'],
    ['an encoded name', 'a%20b.bin', ['m/a b.bin'], 'm/a b.bin'],
    ['a name that is not encoded', 'a%20b.bin', ['m/a%20b.bin'], 'm/a%20b.bin'],
    ['the decoded name if both exist', 'a%20b.bin', ['m/a%20b.bin', 'm/a b.bin'], 'm/a b.bin'],
    ['a name with a percent sign', '100%.bin', ['m/100%.bin'], 'm/100%.bin'],
    ['no name in another case', 'A.bin', ['m/a.bin'], undefined],
    ['nothing at an absolute path', '/a.bin', ['a.bin', 'm/a.bin'], undefined],
    ['nothing in another scheme', 'file:a.bin', ['m/file:a.bin'], undefined],
    ['nothing above the archive', '../../a.bin', ['a.bin', 'm/a.bin'], undefined],
  ];
  for (const [reason, uri, entries, path] of rows) {
    it(`finds ${reason}`, () => {
      assert.equal(
        resolveUri(uri, 'm/model.gltf', (entry) => entries.includes(entry)),
        path,
      );
    });
  }
});
