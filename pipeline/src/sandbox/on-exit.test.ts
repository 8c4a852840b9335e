import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onExit } from './on-exit.ts';

test('all callbacks share one listener, which is removed with the last callback', () => {
  const before = process.listenerCount('exit');
  const unregister = Array.from({ length: 50 }, () => onExit(() => undefined));
  assert.equal(process.listenerCount('exit'), before + 1);
  for (const unregisterOne of unregister) unregisterOne();
  assert.equal(process.listenerCount('exit'), before);
});

test('calls each registered callback once', () => {
  const called: string[] = [];
  const unregister = [onExit(() => called.push('first')), onExit(() => called.push('second'))];
  unregister[0]?.();
  for (const listener of process.listeners('exit'))
    if (listener.name === 'runExitCallbacks') listener(0);
  unregister[1]?.();
  assert.deepEqual(called, ['second']);
});
