import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RateLimiter, type RateLimiterOptions } from './rate-limiter.ts';

/** A limiter with a clock that the test sets. */
function openLimiter(options: Partial<RateLimiterOptions> = {}) {
  const time = { ms: 1000 };
  const clock = () => time.ms;
  const limiter = new RateLimiter({ perMinute: 60, what: 'requests', clock, ...options });
  return { limiter, time };
}

test('as many requests as the limit may come at once, then one per interval', () => {
  const { limiter, time } = openLimiter();
  for (let count = 1; count <= 60; count += 1) {
    const state = limiter.take('a');
    assert.deepEqual([state.allowed, state.remaining], [true, 60 - count]);
  }
  assert.deepEqual(limiter.take('a'), {
    allowed: false,
    limit: 60,
    remaining: 0,
    resetSeconds: 60,
    retryAfterSeconds: 1,
  });
  time.ms += 1000;
  assert.equal(limiter.take('a').allowed, true);
  assert.equal(limiter.take('a').allowed, false);
  time.ms += 60_000;
  assert.equal(limiter.take('a').remaining, 59);
});

test('over any minute, at most twice the limit is allowed; refused requests do not delay others', () => {
  const { limiter, time } = openLimiter({ perMinute: 600 });
  let allowed = 0;
  for (let ms = 0; ms < 60_000; ms += 5) {
    time.ms += 5;
    if (limiter.take('a').allowed) allowed += 1;
  }
  assert.ok(allowed >= 1199 && allowed <= 1200, String(allowed));
});

test('each key has its own limit', () => {
  const { limiter } = openLimiter({ perMinute: 1 });
  assert.equal(limiter.take('a').allowed, true);
  assert.equal(limiter.take('a').allowed, false);
  assert.equal(limiter.take('b').allowed, true);
});

test('the number of keys in memory is limited', () => {
  const { limiter } = openLimiter({ maxKeys: 100 });
  for (let index = 0; index < 10_000; index += 1) limiter.take(`key ${index}`);
  assert.equal(limiter.size, 100);
});
