import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atExit } from './at-exit.ts';

test('one listener serves all, and none is left when all are taken back', () => {
  const before = process.listenerCount('exit');
  const takeBack = Array.from({ length: 50 }, () => atExit(() => undefined));
  assert.equal(process.listenerCount('exit'), before + 1);
  for (const take of takeBack) take();
  assert.equal(process.listenerCount('exit'), before);
});

test('what was not taken back is called, once', () => {
  const called: string[] = [];
  const takeBack = [atExit(() => called.push('first')), atExit(() => called.push('second'))];
  takeBack[0]?.();
  for (const listener of process.listeners('exit')) if (listener.name === 'endAll') listener(0);
  takeBack[1]?.();
  assert.deepEqual(called, ['second']);
});
