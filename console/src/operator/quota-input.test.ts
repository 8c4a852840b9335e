import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_USER_QUOTA } from '@cloche/contract/user';
import { parseQuota, toQuotaInput } from './quota-input.ts';

test('each quota of the API is the same after it was shown in the form', () => {
  for (const quota of [null, 0, 1, 500, MAX_USER_QUOTA])
    assert.equal(parseQuota(toQuotaInput(quota)), quota);
});

test('only whole numbers that the API accepts', () => {
  for (const amount of ['', '0', '-1', '1.5', '1e3', 'many', String(MAX_USER_QUOTA + 1)])
    assert.equal(parseQuota({ kind: 'own', amount }), undefined, amount);
  assert.equal(parseQuota({ kind: 'own', amount: ' 12 ' }), 12);
});
