import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Deadlines, type Wait } from './deadlines.ts';

function open(t: TestContext): { deadlines: Deadlines; ended: string[] } {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const deadlines = new Deadlines(1000);
  t.after(() => deadlines[Symbol.dispose]());
  return { deadlines, ended: [] };
}

test('a wait is ended once, when its deadline is over, and at most a tenth late', (t) => {
  const { deadlines, ended } = open(t);
  t.mock.timers.tick(50);
  deadlines.watch(() => ended.push('first'));
  t.mock.timers.tick(500);
  deadlines.watch(() => ended.push('second'));
  t.mock.timers.tick(499);
  assert.deepEqual(ended, []);
  t.mock.timers.tick(101);
  assert.deepEqual(ended, ['first']);
  t.mock.timers.tick(500);
  assert.deepEqual(ended, ['first', 'second']);
  t.mock.timers.tick(5000);
  assert.deepEqual(ended, ['first', 'second']);
});

test('a wait that was settled is not ended, nor does it keep others from it', (t) => {
  const { deadlines, ended } = open(t);
  deadlines.watch(() => ended.push('late'));
  const settled = deadlines.watch(() => ended.push('settled'));
  deadlines.watch(() => ended.push('later'));
  deadlines.settle(settled);
  deadlines.settle(settled);
  t.mock.timers.tick(2000);
  assert.deepEqual(ended, ['late', 'later']);
});

test('a wait may be settled while others are ended', (t) => {
  const { deadlines, ended } = open(t);
  let other: Wait | undefined;
  deadlines.watch(() => other && deadlines.settle(other));
  other = deadlines.watch(() => ended.push('other'));
  t.mock.timers.tick(2000);
  assert.deepEqual(ended, []);
});

test('it ticks no more once it is put away', (t) => {
  const { deadlines, ended } = open(t);
  deadlines.watch(() => ended.push('late'));
  deadlines[Symbol.dispose]();
  t.mock.timers.tick(5000);
  assert.deepEqual(ended, []);
});
