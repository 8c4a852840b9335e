import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asBlobRef, type BlobRef } from './blobs.ts';
import { RecentBlobs } from './recent.ts';

const MEGABYTE = Buffer.alloc(1024 * 1024);
const refOf = (i: number) => asBlobRef(i.toString(16).padStart(64, '0')) as BlobRef;

/** Puts blobs of a megabyte; there is room for 64. */
function fill(recent: RecentBlobs, from: number, to: number): void {
  for (let i = from; i < to; i += 1) recent.put(refOf(i), MEGABYTE);
}

const here = (recent: RecentBlobs, from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => from + i).filter((i) => recent.get(refOf(i)));

test('64 MiB are kept, and what comes last is among them', () => {
  const recent = new RecentBlobs();
  fill(recent, 0, 200);
  const kept = here(recent, 0, 200);
  assert.equal(kept.length, 64);
  assert.ok(kept.includes(199));
});

test('what is asked for stays, however much passes by', () => {
  const recent = new RecentBlobs();
  fill(recent, 0, 64);
  for (let i = 64; i < 500; i += 1) {
    assert.ok(recent.get(refOf(0)) === MEGABYTE, `after ${i}`);
    recent.put(refOf(i), MEGABYTE);
  }
  assert.ok(recent.get(refOf(1)) === undefined);
});

test('what was asked for once goes when its time has come', () => {
  const recent = new RecentBlobs();
  fill(recent, 0, 64);
  recent.get(refOf(5));
  fill(recent, 64, 300);
  assert.deepEqual(here(recent, 0, 64), []);
});

test('what is put twice or dropped counts once, or not at all', () => {
  const recent = new RecentBlobs();
  fill(recent, 0, 60);
  for (let round = 0; round < 50; round += 1) recent.put(refOf(0), MEGABYTE);
  assert.equal(here(recent, 0, 60).length, 60);
  for (let i = 0; i < 60; i += 1) recent.drop(refOf(i));
  recent.drop(refOf(0));
  fill(recent, 100, 164);
  assert.equal(here(recent, 100, 164).length, 64);
});
