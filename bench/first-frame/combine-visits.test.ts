import assert from 'node:assert/strict';
import { it } from 'node:test';
import { combineVisits } from './combine-visits.ts';
import type { Visit } from './visit.ts';

const VISIT: Visit = {
  usefulMs: 312,
  recognizableMs: 312,
  fullMs: 312,
  usefulBytes: 20,
  recognizableBytes: 20,
  fullBytes: 20,
  totalBytes: 200,
  blockingMs: 25,
  memoryBytes: undefined,
};

it('a load is not full while its poster equals the final picture and the canvas shows nothing', () => {
  const canvas = {
    ...VISIT,
    recognizableMs: 900,
    recognizableBytes: 190,
    fullMs: 951,
    fullBytes: 200,
  };
  assert.deepEqual(combineVisits(VISIT, canvas), {
    ...VISIT,
    ...{ first3dMs: 900, first3dBytes: 190, fullMs: 951, fullBytes: 200 },
  });
});

it('a load is full when the poster has gone, if that is later', () => {
  const visit = { ...VISIT, fullMs: 1100, fullBytes: 210 };
  const { fullMs, fullBytes, first3dMs } = combineVisits(visit, { ...VISIT, fullMs: 951 });
  assert.deepEqual(
    { fullMs, fullBytes, first3dMs },
    { fullMs: 1100, fullBytes: 210, first3dMs: 312 },
  );
});
