import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventEmitter } from './event-emitter.ts';

type Events = { count: { value: number }; done: undefined };

describe('EventEmitter', () => {
  it('calls the listeners of an event in order, and no others', () => {
    const events = new EventEmitter<Events>();
    const calls: string[] = [];
    events.on('count', ({ value }) => calls.push(`first ${value}`));
    events.on('count', ({ value }) => calls.push(`second ${value}`));
    events.on('done', () => calls.push('done'));
    events.emit('count', { value: 1 });
    assert.deepEqual(calls, ['first 1', 'second 1']);
  });

  it('does not call a disposed listener', () => {
    const events = new EventEmitter<Events>();
    const calls: number[] = [];
    const subscription = events.on('count', ({ value }) => calls.push(value));
    events.emit('count', { value: 1 });
    subscription[Symbol.dispose]();
    events.emit('count', { value: 2 });
    assert.deepEqual(calls, [1]);
  });

  it('calls the remaining listeners when one disposes itself', () => {
    const events = new EventEmitter<Events>();
    const calls: string[] = [];
    const once = events.on('done', () => {
      calls.push('once');
      once[Symbol.dispose]();
    });
    events.on('done', () => calls.push('always'));
    events.emit('done', undefined);
    events.emit('done', undefined);
    assert.deepEqual(calls, ['once', 'always', 'always']);
  });

  it('calls no listener after clear', () => {
    const events = new EventEmitter<Events>();
    events.on('done', () => assert.fail('called'));
    events.clear();
    events.emit('done', undefined);
  });
});
