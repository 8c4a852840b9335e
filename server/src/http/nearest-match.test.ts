import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findNearestMatch } from './nearest-match.ts';

const FIELDS = ['capabilities', 'origins', 'type', 'user', 'name', 'designs', 'expiresAt', 'uri'];

const cases: [text: string, nearest: string | undefined][] = [
  ['origin', 'origins'],
  ['orgins', 'origins'],
  ['oirgins', 'origins'],
  ['Origins', 'origins'],
  ['capability', 'capabilities'],
  ['expires_at', 'expiresAt'],
  ['expires', 'expiresAt'],
  ['EXPIRES-AT', 'expiresAt'],
  ['nmae', 'name'],
  ['design', 'designs'],
  ['url', 'uri'],
  ['id', undefined],
  ['token', undefined],
  ['x', undefined],
  ['', undefined],
  ['__proto__', undefined],
  ['origins'.repeat(20_000), undefined],
];

for (const [text, nearest] of cases) {
  test(`${text.slice(0, 20)} is similar to ${nearest}`, () => {
    assert.equal(findNearestMatch(text, FIELDS), nearest);
  });
}

test('the most similar of several candidates', () => {
  assert.equal(findNearestMatch('limti', ['list', 'limit']), 'limit');
});
