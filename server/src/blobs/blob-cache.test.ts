import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlobCache } from './blob-cache.ts';
import { type BlobRef, toBlobRef } from './blob-store.ts';

const MEGABYTE = Buffer.alloc(1024 * 1024);
const toRef = (i: number) => toBlobRef(i.toString(16).padStart(64, '0')) as BlobRef;

/** Puts blobs of a megabyte; there is room for 64. */
function fill(recent: BlobCache, from: number, to: number): void {
  for (let i = from; i < to; i += 1) recent.set(toRef(i), MEGABYTE);
}

const cachedIndexes = (recent: BlobCache, from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => from + i).filter((i) => recent.get(toRef(i)));

test('64 MiB are kept, and what comes last is among them', () => {
  const recent = new BlobCache();
  fill(recent, 0, 200);
  const kept = cachedIndexes(recent, 0, 200);
  assert.equal(kept.length, 64);
  assert.ok(kept.includes(199));
});

test('what is asked for stays, however much passes by', () => {
  const recent = new BlobCache();
  fill(recent, 0, 64);
  for (let i = 64; i < 500; i += 1) {
    assert.ok(recent.get(toRef(0)) === MEGABYTE, `after ${i}`);
    recent.set(toRef(i), MEGABYTE);
  }
  assert.ok(recent.get(toRef(1)) === undefined);
});

test('what was asked for once goes when its time has come', () => {
  const recent = new BlobCache();
  fill(recent, 0, 64);
  recent.get(toRef(5));
  fill(recent, 64, 300);
  assert.deepEqual(cachedIndexes(recent, 0, 64), []);
});

test('what is put twice or dropped counts once, or not at all', () => {
  const recent = new BlobCache();
  fill(recent, 0, 60);
  for (let round = 0; round < 50; round += 1) recent.set(toRef(0), MEGABYTE);
  assert.equal(cachedIndexes(recent, 0, 60).length, 60);
  for (let i = 0; i < 60; i += 1) recent.delete(toRef(i));
  recent.delete(toRef(0));
  fill(recent, 100, 164);
  assert.equal(cachedIndexes(recent, 100, 164).length, 64);
});
