import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectOriginWarnings } from '@cloche/contract/origin-warnings';
import { domainRules } from '../tokens/origins.ts';
import { explainMismatch } from './origin-hints.ts';

const mismatchCases: [listed: string, pageOrigin: string, hint: RegExp | undefined][] = [
  ['https://shop.example', 'http://shop.example', /with http it is another origin/],
  ['http://shop.example', 'https://shop.example', /with https it is another origin/],
  ['https://shop.example', 'https://www.shop.example', /without "www\."/],
  ['https://www.shop.example', 'https://shop.example', /with "www\."/],
  ['https://shop.example', 'https://shop.example:8443', /the default port/],
  ['https://shop.example:8443', 'https://shop.example', /port 8443/],
  ['https://*.shop.example:8443', 'https://a.shop.example', /port 8443/],
  ['https://*.shop.example', 'https://shop.example', /subdomains but not shop\.example itself/],
  ['https://shop.example', 'https://a.shop.example', /does not include its subdomains/],
  ['http://localhost:3000', 'http://127.0.0.1:3000', /127\.0\.0\.1 is another host/],
  ['https://shop.example', 'https://evilshop.example', undefined],
  ['https://shop.example', 'https://shop.example.evil.test', undefined],
];

test('a similar listed origin is explained', async (t) => {
  for (const [listed, pageOrigin, hint] of mismatchCases) {
    await t.test(`${pageOrigin} with ${listed} listed`, () => {
      const explanation = explainMismatch(['https://other.test', listed], pageOrigin);
      if (hint === undefined) return assert.equal(explanation, undefined);
      assert.match(explanation ?? '', hint);
      assert.ok(explanation?.includes(listed));
    });
  }
});

const warningCases: [origins: string[], codes: string[]][] = [
  [['https://shop.example', 'https://www.shop.example'], []],
  [['https://shop.example'], ['www-missing']],
  [['https://www.shop.example'], ['apex-missing']],
  [['https://*.shop.example'], ['apex-missing']],
  [['https://shop.example', 'https://*.shop.example'], []],
  [['https://shop.example:8443'], ['www-missing']],
  [['https://blog.shop.example'], []],
  [['https://*.blog.shop.example'], []],
  [['http://blog.shop.example'], ['plain-http']],
  [['http://localhost:*', 'http://127.0.0.1', 'http://app.localhost'], []],
  [['https://192.168.1.10'], []],
  [['https://intranet'], []],
  [['https://github.io'], ['bare-suffix']],
  [['https://user.github.io'], []],
  [['https://*.wordpress.com', 'https://wordpress.com'], ['shared-host']],
];

test('likely mistakes in a list of origins', async (t) => {
  for (const [origins, codes] of warningCases) {
    await t.test(origins.join(' '), () => {
      assert.deepEqual(
        collectOriginWarnings(origins, domainRules).map(({ code }) => code),
        codes,
      );
    });
  }
});
