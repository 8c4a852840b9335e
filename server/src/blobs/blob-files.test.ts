import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBlobFileName, summarizeFiles, toBlobFileName } from './blob-files.ts';
import type { BlobRef } from './blob-store.ts';

const REF = '0123456789abcdef'.repeat(4) as BlobRef;

test('the name of a file has the generation, unless it is 0', () => {
  for (const generation of [0, 1, 12, 999_999_999])
    assert.deepEqual(parseBlobFileName(toBlobFileName(REF, generation)), { ref: REF, generation });
  assert.equal(toBlobFileName(REF, 0), REF);
  const others = [
    `${REF}.`,
    `${REF}.0`,
    `${REF}.01`,
    `${REF}.x`,
    `${REF}.1.1`,
    `${REF}1`,
    'README',
  ];
  for (const name of others) assert.equal(parseBlobFileName(name), undefined, name);
});

test('a blob with several files was stored when the newest of them was', () => {
  const old = { generation: 0, storedAt: new Date(1000), sizeBytes: 5 };
  const fresh = { generation: 1, storedAt: new Date(2000), sizeBytes: 4 };
  for (const files of [
    [old, fresh],
    [fresh, old],
  ])
    assert.deepEqual(summarizeFiles(files), { storedAt: fresh.storedAt, sizeBytes: old.sizeBytes });
});
