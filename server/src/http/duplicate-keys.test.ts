import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestServer } from '../../testing/harness.ts';
import { sendRequest } from '../../testing/requests.ts';
import { findDuplicateKey } from './duplicate-keys.ts';

const cases: [json: string, path: string | undefined][] = [
  ['{"a":1,"b":2}', undefined],
  ['{"a":{"a":1},"b":[{"a":1},{"a":1}]}', undefined],
  ['["a","a"]', undefined],
  ['{"a":"a","b":"a"}', undefined],
  ['{"a":"{\\"b\\":1,\\"b\\":2}"}', undefined],
  ['{"\\"":1,"\\\\":2}', undefined],
  ['"a"', undefined],
  ['{"a":1,"a":1}', 'a'],
  ['{"a":1,"\\u0061":1}', 'a'],
  ['{"a" : 1 ,\n "a"\t: 2}', 'a'],
  ['{"":1,"":1}', ''],
  ['{"__proto__":1,"__proto__":1}', '__proto__'],
  ['{"a":{"b":1,"b":2}}', 'a.b'],
  ['[1,[2,3],{"x":[{"y":1},{"y":1,"z":{},"y":2}]}]', '[2].x[1].y'],
  ['{"a":{},"b":"a","a":[]}', 'a'],
  ['{"two\\nlines":1,"two\\nlines":2}', 'two lines'],
];

for (const [json, path] of cases) {
  test(`${json}: ${path}`, () => assert.equal(findDuplicateKey(json), path));
}

test('the time grows linearly with the size', () => {
  const keys = Array.from({ length: 60_000 }, (_, index) => `"k${index}":[]`).join();
  assert.equal(findDuplicateKey(`{${keys},"k0":1}`), 'k0');
});

test('400: a request with a duplicate key, in every method with a body', async (t) => {
  const service = await openTestServer(t);
  const requests: [method: 'POST' | 'PATCH', url: string, json: string, field: string][] = [
    [
      'POST',
      '/v1/tokens',
      '{"capabilities":["read"],"capabilities":["read","write"]}',
      'capabilities',
    ],
    ['PATCH', '/v1/tokens/tok_1', '{"origins":[],"orig\\u0069ns":["*"]}', 'origins'],
    ['POST', '/embed/iframe/v1', '{"uri":"a","uri":"b"}', 'uri'],
    [
      'PATCH',
      '/v1/designs/8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55',
      '{"a":[{"b":1,"b":2}]}',
      'a[0].b',
    ],
  ];
  for (const [method, url, json, field] of requests) {
    const response = await sendRequest(service, method, url, json);
    assert.equal(response.statusCode, 400, response.body);
    assert.equal(response.json().code, 'request.duplicate-key');
    assert.equal(response.json().field, field);
    assert.match(response.json().detail, /occurs twice/);
  }
});
