import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findDisallowedAncestor } from './find-disallowed-ancestor.ts';

const allowedOrigins = ['https://shop.example', 'https://*.brand.example', 'http://localhost:*'];

describe('findDisallowedAncestor', () => {
  const cases: [name: string, ancestors: string[] | undefined, disallowed: string | undefined][] = [
    ['an allowed page', ['https://shop.example'], undefined],
    ['a browser without ancestorOrigins', undefined, undefined],
    ['a hidden origin, if http is allowed', ['null', 'https://shop.example'], 'null'],
    ['an allowed page in a hidden one', ['https://shop.example', 'null'], 'null'],
    ['another page', ['https://evil.example'], 'https://evil.example'],
    [
      'an allowed page within another page',
      ['https://shop.example', 'https://evil.example'],
      'https://evil.example',
    ],
    ['another scheme', ['http://shop.example'], 'http://shop.example'],
    ['another port', ['https://shop.example:8443'], 'https://shop.example:8443'],
    [
      'a name that starts with an allowed name',
      ['https://shop.example.evil'],
      'https://shop.example.evil',
    ],
    ['a subdomain that is not allowed', ['https://a.shop.example'], 'https://a.shop.example'],
    ['an allowed subdomain', ['https://a.brand.example'], undefined],
    ['a subdomain of any depth', ['https://a.b.brand.example'], undefined],
    ['the parent domain of allowed subdomains', ['https://brand.example'], 'https://brand.example'],
    ['a name that ends with an allowed name', ['https://xbrand.example'], 'https://xbrand.example'],
    ['any port if all ports are allowed', ['http://localhost:5173'], undefined],
    ['no port if all ports are allowed', ['http://localhost'], undefined],
    ['https if http is allowed', ['https://localhost:5173'], 'https://localhost:5173'],
  ];

  for (const [name, ancestors, disallowed] of cases) {
    it(`${name}: ${disallowed === undefined ? 'allowed' : 'disallowed'}`, () => {
      assert.equal(findDisallowedAncestor(ancestors, allowedOrigins), disallowed);
    });
  }

  it('a hidden origin is allowed if all allowed origins are https', () => {
    const https = allowedOrigins.filter((origin) => origin.startsWith('https:'));
    for (const ancestors of [['null'], ['https://shop.example', 'null']]) {
      assert.equal(findDisallowedAncestor(ancestors, https), undefined);
      for (const http of ['http://shop.example', 'http://shop.example:8080', 'http://localhost:*'])
        assert.equal(findDisallowedAncestor(ancestors, [...https, http]), 'null');
    }
  });

  it('an empty list allows no ancestor', () => {
    assert.equal(findDisallowedAncestor(['https://shop.example'], []), 'https://shop.example');
  });
});
