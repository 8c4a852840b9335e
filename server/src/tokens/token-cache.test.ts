import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createToken, type TokenRecord } from './token.ts';
import { TokenCache } from './token-cache.ts';

function createTestToken() {
  return createToken(
    {
      user: 'usr_1',
      name: '',
      capabilities: ['embed'],
      origins: ['https://shop.example'],
      designs: undefined,
      expiresAt: undefined,
    },
    new Date(),
  );
}

const failToLoad = async () => assert.fail('loaded again');

test('a token is loaded once, by its id and by its token string', async () => {
  const cache = new TokenCache();
  const { token, tokenString } = createTestToken();
  assert.equal(await cache.getOrLoadId(tokenString, async () => token.id), token.id);
  assert.equal(await cache.getOrLoad(token.id, async () => token), token);
  assert.equal(await cache.getOrLoadId(tokenString, failToLoad), token.id);
  assert.equal(await cache.getOrLoad(token.id, failToLoad), token);
});

test('a token that does not exist is not cached', async () => {
  const cache = new TokenCache();
  const { token, tokenString } = createTestToken();
  assert.equal(await cache.getOrLoadId(tokenString, async () => undefined), undefined);
  assert.equal(await cache.getOrLoad(token.id, async () => undefined), undefined);
  assert.equal(await cache.getOrLoadId(tokenString, async () => token.id), token.id);
  assert.equal(await cache.getOrLoad(token.id, async () => token), token);
});

test('an invalidated token is loaded again', async () => {
  const cache = new TokenCache();
  const { token } = createTestToken();
  const revoked = { ...token, revokedAt: new Date() };
  await cache.getOrLoad(token.id, async () => token);
  cache.invalidate(token.id);
  assert.equal(await cache.getOrLoad(token.id, async () => revoked), revoked);
});

test('a token whose load began before an invalidation is not cached', async () => {
  const cache = new TokenCache();
  const { token } = createTestToken();
  const { promise, resolve } = Promise.withResolvers<TokenRecord>();
  const loading = cache.getOrLoad(token.id, () => promise);
  cache.invalidate(token.id);
  resolve(token);
  assert.equal(await loading, token);
  const revoked = { ...token, revokedAt: new Date() };
  assert.equal(await cache.getOrLoad(token.id, async () => revoked), revoked);
});

test('the least recently used token is evicted when the cache is full', async () => {
  const cache = new TokenCache({ maxTokens: 2 });
  const [first, second, third] = [createTestToken(), createTestToken(), createTestToken()];
  for (const { token, tokenString } of [first, second, first, third]) {
    await cache.getOrLoadId(tokenString, async () => token.id);
    await cache.getOrLoad(token.id, async () => token);
  }
  for (const { token, tokenString } of [first, third]) {
    assert.equal(await cache.getOrLoadId(tokenString, failToLoad), token.id);
    assert.equal(await cache.getOrLoad(token.id, failToLoad), token);
  }
  assert.equal(await cache.getOrLoadId(second.tokenString, async () => 'loaded'), 'loaded');
});

test('a cached token string does not retain the request header', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const cache = new TokenCache();
  const measureHeapBytes = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = measureHeapBytes();
  for (let count = 0; count < 500; count += 1) {
    const { token, tokenString } = createTestToken();
    const header = Buffer.from(`Bearer${' '.repeat(15_000)}${tokenString}`).toString('latin1');
    await cache.getOrLoadId(header.slice(-tokenString.length), async () => token.id);
  }
  assert.ok(measureHeapBytes() - before < 500 * 5000);
});
