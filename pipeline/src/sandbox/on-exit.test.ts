import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onExit } from './on-exit.ts';

test('one listener serves all, and none is left when all are taken back', () => {
  const before = process.listenerCount('exit');
  const takeBack = Array.from({ length: 50 }, () => onExit(() => undefined));
  assert.equal(process.listenerCount('exit'), before + 1);
  for (const take of takeBack) take();
  assert.equal(process.listenerCount('exit'), before);
});

test('what was not taken back is called, once', () => {
  const called: string[] = [];
  const takeBack = [onExit(() => called.push('first')), onExit(() => called.push('second'))];
  takeBack[0]?.();
  for (const listener of process.listeners('exit'))
    if (listener.name === 'runExitCallbacks') listener(0);
  takeBack[1]?.();
  assert.deepEqual(called, ['second']);
});
