import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClockCheck } from './clock-check.ts';

test('a difference of more than two seconds is logged, once, and its end', async () => {
  const logged: string[] = [];
  const check = new ClockCheck({
    warn: ({ differenceMs }: { differenceMs: number }) =>
      void logged.push(differenceMs > 0 ? 'ahead' : 'behind'),
    info: (text: string) => void logged.push(text),
  } as never);
  const readWith = async (differenceMs: number) => {
    const time = new Date(Date.now() - differenceMs);
    assert.equal(await check.readTime(async () => time), time);
  };
  await readWith(1_500);
  await readWith(-1_500);
  assert.deepEqual(logged, []);
  await readWith(2_500);
  await readWith(2_600);
  assert.deepEqual(logged, ['ahead']);
  await readWith(0);
  assert.match(logged[1] ?? '', /agree again/);
  await readWith(-2_500);
  assert.deepEqual(logged.slice(2), ['behind']);
});

test('the time that a slow answer takes does not count as a difference', async () => {
  const logged: unknown[] = [];
  const check = new ClockCheck({
    warn: (fields: unknown) => void logged.push(fields),
    info: () => {},
  } as never);
  await check.readTime(async () => {
    const time = new Date();
    await new Promise((resolve) => setTimeout(resolve, 100));
    return new Date(time.getTime() - 1_990);
  });
  assert.deepEqual(logged, []);
});
