import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findNextIndex } from './roving-focus.ts';

describe('findNextIndex', () => {
  const cases: [key: string, index: number, isRightToLeft: boolean, next: number | undefined][] = [
    ['ArrowRight', 0, false, 1],
    ['ArrowRight', 3, false, 0],
    ['ArrowLeft', 0, false, 3],
    ['ArrowLeft', 0, true, 1],
    ['ArrowRight', 0, true, 3],
    ['Home', 2, false, 0],
    ['End', 2, true, 3],
    ['ArrowUp', 2, false, undefined],
    ['Tab', 2, false, undefined],
  ];
  for (const [key, index, isRightToLeft, next] of cases) {
    it(`${key} from ${index} of 4${isRightToLeft ? ', right to left' : ''}: ${next}`, () => {
      assert.equal(findNextIndex(key, { index, count: 4, isRightToLeft }), next);
    });
  }
});
