import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toUniqueNames } from './unique-names.ts';

describe('toUniqueNames', () => {
  const cases: [reason: string, names: string[], unique: string[]][] = [
    ['keeps different names', ['Open', 'Close'], ['Open', 'Close']],
    ['counts equal names', ['Open', 'Open', 'Open'], ['Open', 'Open (2)', 'Open (3)']],
    ['numbers missing names by position', ['', 'Open', ''], ['Animation 1', 'Open', 'Animation 3']],
    ['does not take the name of a later one', ['A', 'A', 'A (2)'], ['A', 'A (3)', 'A (2)']],
    ['nor with the label', ['', 'Animation 1'], ['Animation 1 (2)', 'Animation 1']],
    ['takes names as they are', ['__proto__', 'toString'], ['__proto__', 'toString']],
  ];
  for (const [reason, names, unique] of cases) {
    it(reason, () => assert.deepEqual(toUniqueNames(names, 'Animation'), unique));
  }

  it('needs no more steps than there are names', () => {
    const unique = toUniqueNames(new Array(20_000).fill('Open'), 'Animation');
    assert.equal(new Set(unique).size, 20_000);
    assert.equal(unique.at(-1), 'Open (20000)');
  });
});
