import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decidePosterVisibility, type PosterVisibility } from './poster-visibility.ts';

const SHOP = 'https://shop.example';
const referer = `${SHOP}/`;
const secFetchDest = 'iframe';

const rows: [reason: string, context: object, origins: string[], expected: PosterVisibility][] = [
  ['an iframe, https only', { referer, secFetchDest }, [SHOP, 'https://*.a.test'], 'at-once'],
  [
    'an http origin of another site: its https pages may be around the page',
    { referer, secFetchDest },
    [SHOP, 'http://other.example'],
    'after-check',
  ],
  [
    'loopback: nobody else has its https pages',
    { referer, secFetchDest },
    [SHOP, 'http://localhost:*', 'http://127.0.0.1:8080', 'http://a.localhost'],
    'without-scripts',
  ],
  [
    'loopback and an http origin of another site',
    { referer, secFetchDest },
    ['http://localhost:*', 'http://other.example'],
    'after-check',
  ],
  ['no Referer: the page is unknown', { secFetchDest }, [SHOP], 'after-check'],
  ['no Sec-Fetch-Dest: it may be no iframe', { referer }, [SHOP], 'after-check'],
  ['another destination', { referer, secFetchDest: 'document' }, [SHOP], 'after-check'],
];

for (const [reason, context, origins, expected] of rows) {
  test(`${expected}: ${reason}`, () => {
    assert.equal(decidePosterVisibility(context, origins), expected);
  });
}
