import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cache } from './cache.ts';

type Value = { text: string };

const value = (text: string): Value => ({ text });

describe('Cache', () => {
  it('loads a value once', async () => {
    const cache = new Cache<Value>({ maxEntries: 10 });
    let loads = 0;
    const load = async () => {
      loads += 1;
      return value('a');
    };
    assert.deepEqual(await cache.getOrLoad('a', load), value('a'));
    assert.deepEqual(await cache.getOrLoad('a', load), value('a'));
    assert.equal(loads, 1);
  });

  it('does not cache a value that does not exist', async () => {
    const cache = new Cache<Value>({ maxEntries: 10 });
    assert.equal(await cache.getOrLoad('a', async () => undefined), undefined);
    assert.deepEqual(await cache.getOrLoad('a', async () => value('a')), value('a'));
  });

  it('returns but does not cache a value whose load began before an invalidation', async () => {
    for (const invalidate of [
      (c: Cache<Value>) => c.invalidate('b'),
      (c: Cache<Value>) => c.clear(),
    ]) {
      const cache = new Cache<Value>({ maxEntries: 10 });
      const { promise, resolve } = Promise.withResolvers<Value>();
      const loading = cache.getOrLoad('a', () => promise);
      invalidate(cache);
      resolve(value('stale'));
      assert.deepEqual(await loading, value('stale'));
      assert.equal(cache.get('a'), undefined);
    }
  });

  it('evicts the least recently used entry', () => {
    const cache = new Cache<Value>({ maxEntries: 2 });
    cache.set('a', value('a'));
    cache.set('b', value('b'));
    cache.get('a');
    cache.set('c', value('c'));
    assert.equal(cache.get('b'), undefined);
    assert.deepEqual(cache.get('a'), value('a'));
    assert.deepEqual(cache.get('c'), value('c'));
  });

  it('evicts by total size, and does not cache a value larger than the maximum', () => {
    const cache = new Cache<Value>({ maxBytes: 10, sizeOf: ({ text }) => text.length });
    cache.set('a', value('12345'));
    cache.set('b', value('123456'));
    assert.equal(cache.get('a'), undefined);
    cache.set('c', value('12345678901'));
    assert.equal(cache.get('c'), undefined);
  });

  it('evicts an entry after its time to live', async () => {
    const cache = new Cache<Value>({ maxEntries: 10, ttlMs: 20 });
    cache.set('a', value('a'));
    await sleep(40);
    assert.equal(cache.get('a'), undefined);
  });

  it('loads each value while it is not usable, and keeps none of them', async () => {
    let isUsable = true;
    const cache = new Cache<Value>({ maxEntries: 10, isUsable: () => isUsable });
    cache.set('a', value('old'));
    isUsable = false;
    assert.equal(cache.get('a'), undefined);
    assert.deepEqual(await cache.getOrLoad('a', async () => value('new')), value('new'));
    isUsable = true;
    assert.deepEqual(cache.get('a'), value('old'));
  });

  it('removes one entry or all', () => {
    const cache = new Cache<Value>({ maxEntries: 10 });
    cache.set('a', value('a'));
    cache.set('b', value('b'));
    cache.invalidate('a');
    assert.equal(cache.get('a'), undefined);
    assert.deepEqual(cache.get('b'), value('b'));
    cache.clear();
    assert.equal(cache.get('b'), undefined);
  });
});
