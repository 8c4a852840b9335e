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

it('a load has the values of the one that shows the canvas alone', () => {
  const canvas = {
    ...VISIT,
    recognizableMs: 900,
    recognizableBytes: 190,
    fullMs: 951,
    fullBytes: 200,
  };
  assert.deepEqual(combineVisits(VISIT, canvas), {
    ...VISIT,
    ...{ first3dMs: 900, first3dBytes: 190, canvasFullMs: 951, canvasFullBytes: 200 },
  });
});
