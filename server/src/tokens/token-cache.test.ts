import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createToken, type NewToken, type TokenRecord } from './token.ts';
import { TokenCache } from './token-cache.ts';

const NEW_TOKEN: NewToken = {
  user: 'usr_one',
  name: '',
  capabilities: ['embed'],
  origins: ['https://shop.example'],
  designs: undefined,
  expiresAt: undefined,
};

const createTestToken = () => createToken(NEW_TOKEN, new Date());

function lookUp(known: TokenCache, token: TokenRecord, secret: string): unknown[] {
  return [known.getByTokenString(secret), known.getById(token.id)];
}

test('what was found by its text is known by its id too; the other way round it is not', () => {
  const known = new TokenCache();
  const { token, secret } = createTestToken();
  known.set(token, known.version);
  assert.deepEqual(lookUp(known, token, secret), [undefined, token]);
  known.set(token, known.version, secret);
  assert.deepEqual(lookUp(known, token, secret), [token, token]);
});

test('what is forgotten is known neither way, however it was found since', () => {
  const known = new TokenCache();
  const { token, secret } = createTestToken();
  known.set(token, known.version, secret);
  known.set({ ...token }, known.version);
  known.invalidate(token.id);
  assert.deepEqual(lookUp(known, token, secret), [undefined, undefined]);
});

test('what was looked for before a change is not remembered after it', () => {
  const known = new TokenCache();
  const { token, secret } = createTestToken();
  const { version } = known;
  known.invalidate('tok_another');
  known.set(token, version, secret);
  assert.deepEqual(lookUp(known, token, secret), [undefined, undefined]);
});

test('ten thousand are known; one more, and the first is forgotten', () => {
  const known = new TokenCache();
  const all = Array.from({ length: 10_001 }, createTestToken);
  for (const { token, secret } of all) known.set(token, known.version, secret);
  const count = all.filter(({ token, secret }) => lookUp(known, token, secret)[0] === token).length;
  assert.equal(count, 10_000);
  const [first] = all;
  assert.deepEqual(first && lookUp(known, first.token, first.secret), [undefined, undefined]);
  // One that is known already takes nobody's place.
  const { token, secret } = all[1] as ReturnType<typeof createTestToken>;
  known.set(token, known.version, secret);
  assert.deepEqual(lookUp(known, token, secret), [token, token]);
});

test('what is known does not hold on to the header that it came in', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const known = new TokenCache();
  const heapBytes = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = heapBytes();
  for (let i = 0; i < 500; i += 1) {
    const { token, secret } = createTestToken();
    const header = Buffer.from(`Bearer${' '.repeat(15_000)}${secret}`).toString('latin1');
    known.set(token, known.version, header.slice(-secret.length));
  }
  assert.ok(heapBytes() - before < 500 * 5000);
});
