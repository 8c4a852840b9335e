import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { Problem } from '@cloche/contract/problem';
import type { BlobRange, BlobRef, BlobStore } from './blob-store.ts';

const GENEROUS_LIMIT = { maxBytes: 1024 * 1024 };
const MISSING_REF = '0'.repeat(64) as BlobRef;

/** What every Blobs must do. Each kind runs it on its own; `openEmpty` closes with the test. */
export function blobStoreContract(
  kind: string,
  openEmpty: (t: TestContext) => Promise<BlobStore>,
): void {
  test(`${kind} give back the bytes they were given, under their hash`, async (t) => {
    const blobs = await openEmpty(t);
    for (const text of ['', 'hello', 'a'.repeat(700_000)]) {
      const ref = await storeBlob(blobs, text.slice(0, 2), text.slice(2));
      assert.equal(ref, createHash('sha256').update(text).digest('hex'));
      assert.equal(await readBlob(blobs, ref), text);
    }
  });

  test(`${kind} give equal bytes one address, however they were cut`, async (t) => {
    const blobs = await openEmpty(t);
    const once = await storeBlob(blobs, 'hello');
    assert.equal(await storeBlob(blobs, 'h', 'ell', '', 'o'), once);
    assert.deepEqual(await listRefs(blobs), [once]);
  });

  test(`${kind} give the part that was asked for, both ends included`, async (t) => {
    const blobs = await openEmpty(t);
    const ref = await storeBlob(blobs, '0123456789');
    const rows: [range: BlobRange, text: string][] = [
      [{ start: 0, end: 0 }, '0'],
      [{ start: 2, end: 4 }, '234'],
      [{ start: 9, end: 9 }, '9'],
      [{ start: 0, end: 9 }, '0123456789'],
    ];
    for (const [range, text] of rows) assert.equal(await readBlob(blobs, ref, range), text);
  });

  test(`${kind} show a draft to nobody until it is kept`, async (t) => {
    const blobs = await openEmpty(t);
    await using draft = await blobs.createDraft(toChunks('hello'), GENEROUS_LIMIT);
    assert.equal(draft.sizeBytes, 5);
    assert.equal(await readFile(draft.path, 'utf8'), 'hello');
    assert.equal(await blobs.open(draft.ref), undefined);
    assert.deepEqual(await listRefs(blobs), []);
    await draft.commit();
    assert.equal(await readBlob(blobs, draft.ref), 'hello');
  });

  test(`${kind} drop a draft that is not kept, and keep one that is`, async (t) => {
    const blobs = await openEmpty(t);
    let path = '';
    {
      await using draft = await blobs.createDraft(toChunks('dropped'), GENEROUS_LIMIT);
      path = draft.path;
    }
    await assert.rejects(readFile(path), { code: 'ENOENT' });
    const ref = await storeBlob(blobs, 'kept');
    assert.equal(await readBlob(blobs, ref), 'kept');
    assert.deepEqual(await listRefs(blobs), [ref]);
  });

  test(`${kind} take what fits to the byte, and not a byte more`, async (t) => {
    const blobs = await openEmpty(t);
    await using draft = await blobs.createDraft(toChunks('12', '34'), { maxBytes: 4 });
    assert.equal(draft.sizeBytes, 4);
    let read = 0;
    async function* endless() {
      for (;;) {
        read += 1;
        yield Buffer.from('1');
      }
    }
    await assert.rejects(
      blobs.createDraft(endless(), { maxBytes: 4 }),
      isProblem('design.too-large'),
    );
    assert.equal(read, 5, 'nothing is read past the limit');
    assert.deepEqual(await listRefs(blobs), []);
  });

  test(`${kind} pass on the failure of their source, and keep nothing of it`, async (t) => {
    const blobs = await openEmpty(t);
    async function* broken() {
      yield Buffer.from('half');
      throw new Error('hung up');
    }
    await assert.rejects(blobs.createDraft(broken(), GENEROUS_LIMIT), /hung up/);
    assert.deepEqual(await listRefs(blobs), []);
  });

  test(`${kind} keep the same bytes of many at once`, async (t) => {
    const blobs = await openEmpty(t);
    const all = await Promise.all(
      Array.from({ length: 12 }, () => storeBlob(blobs, 'same', 'bytes')),
    );
    assert.equal(new Set(all).size, 1);
    assert.equal(await readBlob(blobs, all[0] as BlobRef), 'samebytes');
    assert.equal((await listRefs(blobs)).length, 1);
  });

  test(`${kind} read to its end what is removed meanwhile`, async (t) => {
    const blobs = await openEmpty(t);
    const text = 'a'.repeat(1_000_000);
    const ref = await storeBlob(blobs, text);
    const stream = await blobs.open(ref);
    await blobs.remove(ref);
    assert.equal((await buffer(stream ?? assert.fail())).length, text.length);
    assert.equal(await blobs.open(ref), undefined);
  });

  test(`${kind} say so when there is none, and forget what is not there`, async (t) => {
    const blobs = await openEmpty(t);
    assert.equal(await blobs.open(MISSING_REF), undefined);
    assert.equal(await blobs.remove(MISSING_REF), false);
    assert.deepEqual(await listRefs(blobs), []);
  });

  test(`${kind} forget only what was kept before a time, when one is named`, async (t) => {
    const blobs = await openEmpty(t);
    const ref = await storeBlob(blobs, 'fresh');
    assert.equal(await blobs.remove(ref, new Date(Date.now() - 60_000)), false);
    assert.equal(await readBlob(blobs, ref), 'fresh');
    assert.equal(await blobs.remove(ref, new Date(Date.now() + 60_000)), true);
    assert.equal(await blobs.open(ref), undefined);
  });

  test(`${kind} list what is kept, and since when`, async (t) => {
    const blobs = await openEmpty(t);
    const before = Date.now();
    const kept = [
      await storeBlob(blobs, 'a'),
      await storeBlob(blobs, 'b'),
      await storeBlob(blobs, 'c'),
    ];
    for await (const { ref, keptAt } of blobs.list()) {
      assert.ok(kept.includes(ref));
      assert.ok(keptAt.getTime() >= before - 1000 && keptAt.getTime() <= Date.now() + 1000);
    }
    await blobs.remove(kept[1] as BlobRef);
    assert.deepEqual(await listRefs(blobs), [kept[0], kept[2]].sort());
  });
}

export async function storeBlob(blobs: BlobStore, ...texts: string[]): Promise<BlobRef> {
  await using draft = await blobs.createDraft(toChunks(...texts), GENEROUS_LIMIT);
  await draft.commit();
  return draft.ref;
}

export async function readBlob(blobs: BlobStore, ref: BlobRef, range?: BlobRange): Promise<string> {
  return (await buffer((await blobs.open(ref, range)) ?? assert.fail('not found'))).toString();
}

export async function listRefs(blobs: BlobStore): Promise<BlobRef[]> {
  const found: BlobRef[] = [];
  for await (const { ref } of blobs.list()) found.push(ref);
  return found.sort();
}

export async function* toChunks(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

export const isProblem = (code: string) => (error: unknown) =>
  error instanceof Problem && error.code === code;
