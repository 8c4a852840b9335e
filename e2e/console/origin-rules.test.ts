import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { collectOriginWarnings } from '@cloche/contract/origin-warnings';
import { checkOrigins } from '../../console/src/origins/check-origins.ts';
import { browserDomainRules } from '../../console/src/origins/domain-rules.ts';
import { domainRules, parseListedOrigin } from '../../server/src/tokens/origins.ts';

const LISTS: string[][] = [
  ['https://shop.example', 'https://www.shop.example'],
  ['https://shop.example', 'http://blog.shop.example'],
  ['https://www.shop.co.uk:8443'],
  ['https://*.wordpress.com', 'https://github.io', 'https://user.github.io'],
  ['https://*.amazonaws.com'],
  ['https://*.s3.amazonaws.com'],
  ['https://amazonaws.com', 'https://eu.console.amazonaws.com'],
  ['https://*.co.uk', 'https://shop.example'],
  ['https://BÜCHER.example', 'https://www.xn--bcher-kva.example', 'https://xn--a.example'],
  ['http://localhost:*', 'http://127.0.0.1:3000', 'https://192.168.1.10', 'https://intranet'],
  ['https://shop.example/path', 'ftp://shop.example', 'https://*', ''],
];

describe('the check of origins in the console', () => {
  for (const list of LISTS) {
    it(`has the result of the service: ${list.join(' ')}`, () => {
      assert.deepEqual(checkOrigins(list, browserDomainRules), checkAsService(list));
    });
  }
});

function checkAsService(list: readonly string[]) {
  const origins: string[] = [];
  const mistakes: string[] = [];
  for (const text of list) {
    try {
      origins.push(parseListedOrigin(text, 'origins[0]'));
    } catch (error) {
      assert.ok(error instanceof Error);
      mistakes.push(error.message);
    }
  }
  const warnings = collectOriginWarnings(origins, domainRules).map(({ detail }) => detail);
  return { origins, mistakes, warnings };
}
