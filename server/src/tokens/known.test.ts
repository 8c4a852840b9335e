import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { KnownTokens } from './known.ts';
import { mint, type Plan, type Token } from './token.ts';

const PLAN: Plan = {
  user: 'usr_one',
  name: '',
  capabilities: ['embed'],
  origins: ['https://shop.example'],
  designs: undefined,
  expiresAt: undefined,
};

const make = () => mint(PLAN, new Date());

function found(known: KnownTokens, token: Token, secret: string): unknown[] {
  return [known.byText(secret), known.byId(token.id)];
}

test('what was found by its text is known by its id too; the other way round it is not', () => {
  const known = new KnownTokens();
  const { token, secret } = make();
  known.remember(token, known.epoch);
  assert.deepEqual(found(known, token, secret), [undefined, token]);
  known.remember(token, known.epoch, secret);
  assert.deepEqual(found(known, token, secret), [token, token]);
});

test('what is forgotten is known neither way, however it was found since', () => {
  const known = new KnownTokens();
  const { token, secret } = make();
  known.remember(token, known.epoch, secret);
  known.remember({ ...token }, known.epoch);
  known.forget(token.id);
  assert.deepEqual(found(known, token, secret), [undefined, undefined]);
});

test('what was looked for before a change is not remembered after it', () => {
  const known = new KnownTokens();
  const { token, secret } = make();
  const { epoch } = known;
  known.forget('tok_another');
  known.remember(token, epoch, secret);
  assert.deepEqual(found(known, token, secret), [undefined, undefined]);
});

test('ten thousand are known; one more, and the first is forgotten', () => {
  const known = new KnownTokens();
  const all = Array.from({ length: 10_001 }, make);
  for (const { token, secret } of all) known.remember(token, known.epoch, secret);
  const count = all.filter(({ token, secret }) => found(known, token, secret)[0] === token).length;
  assert.equal(count, 10_000);
  const [first] = all;
  assert.deepEqual(first && found(known, first.token, first.secret), [undefined, undefined]);
  // One that is known already takes nobody's place.
  const { token, secret } = all[1] as ReturnType<typeof make>;
  known.remember(token, known.epoch, secret);
  assert.deepEqual(found(known, token, secret), [token, token]);
});

test('what is known does not hold on to the header that it came in', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const known = new KnownTokens();
  const heapBytes = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = heapBytes();
  for (let i = 0; i < 500; i += 1) {
    const { token, secret } = make();
    const header = Buffer.from(`Bearer${' '.repeat(15_000)}${secret}`).toString('latin1');
    known.remember(token, known.epoch, header.slice(-secret.length));
  }
  assert.ok(heapBytes() - before < 500 * 5000);
});
