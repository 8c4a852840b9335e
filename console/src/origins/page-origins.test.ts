import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePageOrigins } from './page-origins.ts';

const cases: [text: string, origins: string[]][] = [
  ['https://shop.example', ['https://shop.example']],
  ['shop.example', ['https://shop.example']],
  ['Shop.Example/chairs?id=7#oak', ['https://shop.example']],
  ['https://shop.example:8443/', ['https://shop.example:8443']],
  ['localhost:5173', ['http://localhost:5173']],
  ['localhost', ['http://localhost']],
  ['127.0.0.1:8000/page.html', ['http://127.0.0.1:8000']],
  ['localhost.example', ['https://localhost.example']],
  ['shop.example, www.shop.example', ['https://shop.example', 'https://www.shop.example']],
  ['shop.example https://shop.example/', ['https://shop.example']],
  ['https://*.shop.example', ['https://*.shop.example']],
  ['*.shop.example', ['https://*.shop.example']],
  ['http://localhost:*', ['http://localhost:*']],
  ['  ', []],
  // The service explains what is wrong with these.
  ['*', ['*']],
  ['https://*', ['https://*']],
  ['ftp://shop.example', ['ftp://shop.example']],
  ['javascript:alert(1)', ['javascript:alert(1)']],
  ['https://', ['https://']],
];
for (const [text, origins] of cases) {
  test(`${JSON.stringify(text)}: ${origins.join(' ')}`, () =>
    assert.deepEqual(parsePageOrigins(text), origins));
}
