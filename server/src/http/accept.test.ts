import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptsMediaType } from './accept.ts';

const cases: [accept: string, html: boolean, json: boolean][] = [
  ['*/*', true, true],
  ['*', true, true],
  ['text/html', true, false],
  ['TEXT/HTML', true, false],
  [' text/html ;q=0.5 , image/png', true, false],
  ['text/*', true, false],
  ['application/*', false, true],
  ['application/json', false, true],
  ['application/json;charset=utf-8', false, true],
  ['application/json; q=0', false, false],
  ['application/json;q=0.0', false, false],
  ['application/json;q=0.01', false, true],
  ['application/json;v=1;q=0', false, false],
  ['text/html;q=0, */*', false, true],
  ['*/*, text/html;q=0', false, true],
  ['text/*;q=0, text/html', true, false],
  ['*/*;q=0, application/*', false, true],
  ['text/plain', false, false],
  ['texthtml', false, false],
  ['application/problem+json', false, false],
  ['', false, false],
  [',,;,', false, false],
];

for (const [accept, html, json] of cases) {
  test(`"${accept}": HTML ${html}, JSON ${json}`, () => {
    assert.equal(acceptsMediaType(accept, 'text/html'), html);
    assert.equal(acceptsMediaType(accept, 'application/json'), json);
  });
}
