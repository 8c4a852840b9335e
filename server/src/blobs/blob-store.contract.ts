import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { Problem } from '@cloche/contract/problem';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import type { BlobRange, BlobRef, BlobStore, FileBlobStore } from './blob-store.ts';

const LARGE_LIMIT = { maxBytes: 1024 * 1024 };
const MISSING_REF = '0'.repeat(64) as BlobRef;

/** The tests that every `BlobStore` runs. `openEmpty` closes the store with the test. */
export function blobStoreContract(
  name: string,
  openEmpty: (t: TestContext) => Promise<BlobStore>,
): void {
  test(`${name} returns the bytes that were stored, under their SHA-256`, async (t) => {
    const blobs = await openEmpty(t);
    for (const text of ['', 'hello', 'a'.repeat(700_000)]) {
      const ref = await storeBlob(blobs, text.slice(0, 2), text.slice(2));
      assert.equal(ref, createHash('sha256').update(text).digest('hex'));
      assert.equal(await readBlob(blobs, ref), text);
    }
  });

  test(`${name} stores equal bytes once, however they are split into chunks`, async (t) => {
    const blobs = await openEmpty(t);
    const ref = await storeBlob(blobs, 'hello');
    assert.equal(await storeBlob(blobs, 'h', 'ell', '', 'o'), ref);
    assert.deepEqual(await listRefs(blobs), [ref]);
  });

  test(`${name} returns a range of bytes, both ends included`, async (t) => {
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

  test(`${name} does not return a draft until it is committed`, async (t) => {
    const blobs = await openEmpty(t);
    await using draft = await blobs.createDraft(toChunks('hello'), LARGE_LIMIT);
    assert.equal(draft.sizeBytes, 5);
    assert.equal(await readFile(draft.path, 'utf8'), 'hello');
    assert.equal(await blobs.open(draft.ref), undefined);
    assert.deepEqual(await listRefs(blobs), []);
    await draft.commit();
    assert.equal(await readBlob(blobs, draft.ref), 'hello');
  });

  test(`${name} deletes a draft that is not committed, and stores one that is`, async (t) => {
    const blobs = await openEmpty(t);
    let path = '';
    {
      await using draft = await blobs.createDraft(toChunks('not committed'), LARGE_LIMIT);
      path = draft.path;
    }
    await assert.rejects(readFile(path), { code: 'ENOENT' });
    const ref = await storeBlob(blobs, 'committed');
    assert.equal(await readBlob(blobs, ref), 'committed');
    assert.deepEqual(await listRefs(blobs), [ref]);
  });

  test(`${name} accepts maxBytes, and not one byte more`, async (t) => {
    const blobs = await openEmpty(t);
    await using draft = await blobs.createDraft(toChunks('12', '34'), { maxBytes: 4 });
    assert.equal(draft.sizeBytes, 4);
    let chunkCount = 0;
    async function* endless() {
      for (;;) {
        chunkCount += 1;
        yield Buffer.from('1');
      }
    }
    await assert.rejects(
      blobs.createDraft(endless(), { maxBytes: 4 }),
      isProblem('design.too-large'),
    );
    assert.equal(chunkCount, 5, 'nothing is read after the limit');
    assert.deepEqual(await listRefs(blobs), []);
  });

  test(`${name} rethrows an error of the source, and stores nothing`, async (t) => {
    const blobs = await openEmpty(t);
    async function* failing() {
      yield Buffer.from('half');
      throw new Error('connection closed');
    }
    await assert.rejects(blobs.createDraft(failing(), LARGE_LIMIT), /connection closed/);
    assert.deepEqual(await listRefs(blobs), []);
  });

  test(`${name} stores the same bytes from several concurrent writers once`, async (t) => {
    const blobs = await openEmpty(t);
    const refs = await Promise.all(
      Array.from({ length: 12 }, () => storeBlob(blobs, 'same', 'bytes')),
    );
    assert.equal(new Set(refs).size, 1);
    assert.equal(await readBlob(blobs, refs[0] as BlobRef), 'samebytes');
    assert.equal((await listRefs(blobs)).length, 1);
  });

  test(`${name} reads a blob to its end if it is removed meanwhile`, async (t) => {
    const blobs = await openEmpty(t);
    const text = 'a'.repeat(1_000_000);
    const ref = await storeBlob(blobs, text);
    const stream = await blobs.open(ref);
    await blobs.remove(ref);
    assert.equal((await buffer(stream ?? assert.fail())).length, text.length);
    assert.equal(await blobs.open(ref), undefined);
  });

  test(`${name} returns undefined or false for a blob that does not exist`, async (t) => {
    const blobs = await openEmpty(t);
    assert.equal(await blobs.open(MISSING_REF), undefined);
    assert.equal(await blobs.remove(MISSING_REF), false);
    assert.deepEqual(await listRefs(blobs), []);
  });

  test(`${name} removes a blob only if it was stored before the given time`, async (t) => {
    const blobs = await openEmpty(t);
    const ref = await storeBlob(blobs, 'fresh');
    assert.equal(await blobs.remove(ref, new Date(Date.now() - 60_000)), false);
    assert.equal(await readBlob(blobs, ref), 'fresh');
    assert.equal(await blobs.remove(ref, new Date(Date.now() + 60_000)), true);
    assert.equal(await blobs.open(ref), undefined);
  });

  test(`${name} does not remove a blob before every draft of it that was committed is disposed`, async (t) => {
    const blobs = await openEmpty(t);
    const ref = await storeBlob(blobs, 'shared');
    const drafts = [
      await blobs.createDraft(toChunks('shared'), LARGE_LIMIT),
      await blobs.createDraft(toChunks('shared'), LARGE_LIMIT),
    ];
    for (const draft of drafts) await draft.commit();
    for (const draft of drafts) {
      assert.equal(await blobs.remove(ref), false);
      await draft[Symbol.asyncDispose]();
      await draft[Symbol.asyncDispose]();
    }
    assert.equal(await blobs.remove(ref), true);
  });

  test(`${name} lists the blobs and the time each was stored`, async (t) => {
    const blobs = await openEmpty(t);
    const before = Date.now();
    const stored = [
      await storeBlob(blobs, 'a'),
      await storeBlob(blobs, 'b'),
      await storeBlob(blobs, 'c'),
    ];
    for await (const { ref, storedAt } of blobs.list()) {
      assert.ok(stored.includes(ref));
      assert.ok(storedAt.getTime() >= before - 1000 && storedAt.getTime() <= Date.now() + 1000);
    }
    await blobs.remove(stored[1] as BlobRef);
    assert.deepEqual(await listRefs(blobs), [stored[0], stored[2]].sort());
  });
}

/** The tests that every `FileBlobStore` runs, in addition. */
export function fileBlobStoreContract(
  name: string,
  openEmpty: (t: TestContext) => Promise<FileBlobStore>,
): void {
  const listGenerations = async (blobs: FileBlobStore, ref: BlobRef) =>
    (await blobs.findFiles(ref)).map((file) => file.generation).sort();

  test(`${name} finds a blob that has only a file of another generation`, async (t) => {
    const blobs = await openEmpty(t);
    const ref = await storeFile(blobs, 'hello', 12);
    const other = await storeBlob(blobs, 'other');
    assert.equal(await readBlob(blobs, ref), 'hello');
    assert.equal(await readBlob(blobs, ref, { start: 1, end: 2 }), 'el');
    assert.equal((await blobs.read(ref))?.toString(), 'hello');
    const path = join(await openTemporaryDirectory(t), 'copy');
    assert.equal(await blobs.copyToFile(ref, path), true);
    assert.equal(await readFile(path, 'utf8'), 'hello');
    assert.deepEqual(await listGenerations(blobs, ref), [12]);
    assert.deepEqual(await listRefs(blobs), [ref, other].sort());
    assert.equal(await blobs.remove(ref, new Date(Date.now() - 60_000)), false);
    assert.equal(await blobs.remove(ref, new Date(Date.now() + 60_000)), true);
    assert.equal(await blobs.open(ref), undefined);
    assert.equal(await blobs.copyToFile(ref, `${path}-2`), false);
    assert.deepEqual(await listRefs(blobs), [other]);
  });

  test(`${name} lists a blob with several files once, and removes all of them`, async (t) => {
    const blobs = await openEmpty(t);
    const ref = await storeBlob(blobs, 'hello');
    for (const generation of [1, 2]) await storeFile(blobs, 'hello', generation);
    assert.deepEqual(await listGenerations(blobs, ref), [0, 1, 2]);
    const [blob, ...more] = await Array.fromAsync(blobs.list());
    assert.deepEqual([blob?.ref, blob?.sizeBytes, more], [ref, 5, []]);
    assert.equal(await blobs.remove(ref), true);
    assert.deepEqual(await listGenerations(blobs, ref), []);
    assert.equal(await blobs.open(ref), undefined);
  });

  test(`${name} reads a blob while its files are removed one after the other`, async (t) => {
    const blobs = await openEmpty(t);
    const ref = await storeBlob(blobs, 'hello');
    for (const [stored, removed] of [
      [1, 0],
      [2, 1],
      [0, 2],
      [3, 0],
    ] as const) {
      await storeFile(blobs, 'hello', stored);
      assert.equal(await blobs.removeFile(ref, removed), true);
      // Twice: the second time, the generation is known.
      assert.equal(await readBlob(blobs, ref), 'hello');
      assert.equal(await readBlob(blobs, ref), 'hello');
      assert.deepEqual(await listGenerations(blobs, ref), [stored]);
    }
    assert.equal(await blobs.removeFile(ref, 0), true, 'there is none');
    assert.equal(await readBlob(blobs, ref), 'hello');
  });
}

/** Stores a blob as the file of a generation. */
export async function storeFile(
  blobs: FileBlobStore,
  text: string,
  generation: number,
): Promise<BlobRef> {
  await using draft = await blobs.createDraft(toChunks(text), LARGE_LIMIT);
  await draft.commit(generation);
  return draft.ref;
}

/** Stores a blob. Each text is a chunk. */
export async function storeBlob(blobs: BlobStore, ...texts: string[]): Promise<BlobRef> {
  await using draft = await blobs.createDraft(toChunks(...texts), LARGE_LIMIT);
  await draft.commit();
  return draft.ref;
}

/** Reads a blob, or a range of it, as text. */
export async function readBlob(blobs: BlobStore, ref: BlobRef, range?: BlobRange): Promise<string> {
  return (await buffer((await blobs.open(ref, range)) ?? assert.fail('not found'))).toString();
}

/** Lists the references to all blobs, sorted. */
export async function listRefs(blobs: BlobStore): Promise<BlobRef[]> {
  const refs: BlobRef[] = [];
  for await (const { ref } of blobs.list()) refs.push(ref);
  return refs.sort();
}

/** Yields each text as a chunk of bytes. */
export async function* toChunks(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

/** Says whether an error is a problem with that code, for `assert.rejects`. */
export const isProblem = (code: string) => (error: unknown) =>
  error instanceof Problem && error.code === code;
