import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProblemDetails } from '@cloche/contract/problem';
import { ApiError } from '../api/api-error.ts';
import { listErrorTexts } from './list-error-texts.ts';

const PROBLEM: ProblemDetails = {
  type: '/docs/problems#request.invalid',
  status: 400,
  code: 'request.invalid',
  title: 'The request does not match its schema.',
  detail: '',
};

const cases: [field: string, detail: string, text: string][] = [
  ['url', 'url: must begin with https://.', 'URL of the page: must begin with https://.'],
  ['origins[1]', 'origins[1]: is not a text.', 'Origins, entry 2: is not a text.'],
  ['query.name', 'query.name: is too long.', 'Name: is too long.'],
  ['viewer.exposure', 'viewer.exposure: is too large.', 'Exposure: is too large.'],
  ['expiresAt', 'expiresAt: is in the past.', 'Ends at: is in the past.'],
  ['path.number', 'path.number: no such revision.', 'path.number: no such revision.'],
  ['constructor', 'constructor: is not a field.', 'constructor: is not a field.'],
  ['origins[0]', '"x" does not begin with http://.', '"x" does not begin with http://.'],
  ['url', 'url', 'url'],
];
for (const [field, detail, text] of cases) {
  test(`${detail}: ${text}`, () => {
    const error = new ApiError(detail, { ...PROBLEM, detail, field });
    assert.deepEqual(listErrorTexts(error), [text]);
  });
}

test('all errors of a request are described', () => {
  const errors = [
    { field: 'name', code: 'request.invalid', detail: 'name: is too long.' },
    { field: 'user', code: 'token.user', detail: 'user: does not exist.' },
  ] as const;
  const error = new ApiError('name: is too long.', { ...PROBLEM, field: 'name', errors });
  assert.deepEqual(listErrorTexts(error), ['Name: is too long.', 'User: does not exist.']);
});

test('other errors have their own text', () => {
  assert.deepEqual(listErrorTexts(new ApiError('No connection.')), ['No connection.']);
  assert.deepEqual(listErrorTexts(new Error('url: x')), ['url: x']);
  assert.deepEqual(listErrorTexts('text'), ['text']);
});
