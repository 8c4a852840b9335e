import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completeUrl } from './complete-url.ts';

test('https:// is added to what has no scheme', () => {
  const cases: [entered: string, url: string][] = [
    ['shop.example/chairs', 'https://shop.example/chairs'],
    [' shop.example ', 'https://shop.example'],
    ['shop.example:8443/a', 'https://shop.example:8443/a'],
    ['http://shop.example', 'http://shop.example'],
    ['javascript:alert(1)', 'javascript:alert(1)'],
    ['', ''],
  ];
  for (const [entered, url] of cases) assert.equal(completeUrl(entered), url);
});
