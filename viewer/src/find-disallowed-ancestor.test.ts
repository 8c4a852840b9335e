import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findDisallowedAncestor } from './find-disallowed-ancestor.ts';

const allowedOrigins = ['https://shop.example', 'https://*.brand.example', 'http://localhost:*'];

describe('findDisallowedAncestor', () => {
  const cases: [name: string, ancestors: string[] | undefined, disallowed: string | undefined][] = [
    ['an allowed page', ['https://shop.example'], undefined],
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
      assert.equal(findDisallowedAncestor(ancestors, allowedOrigins, true), disallowed);
    });
  }

  it('a hidden origin is allowed if all allowed origins are https', () => {
    const https = allowedOrigins.filter((origin) => origin.startsWith('https:'));
    for (const ancestors of [['null'], ['https://shop.example', 'null']]) {
      assert.equal(findDisallowedAncestor(ancestors, https, true), undefined);
      for (const http of ['http://shop.example', 'http://shop.example:8080', 'http://localhost:*'])
        assert.equal(findDisallowedAncestor(ancestors, [...https, http], true), 'null');
    }
  });

  const withoutListCases: [origins: string[], isNested: boolean, disallowed: string | undefined][] =
    [
      [['https://shop.example'], false, undefined],
      [['https://shop.example'], true, undefined],
      [['https://shop.example', 'http://shop.example'], false, undefined],
      [['https://shop.example', 'http://shop.example'], true, 'null'],
      [['http://*.shop.example:8080'], true, 'null'],
      [['http://localhost:*', 'http://127.0.0.1:5173', 'http://app.localhost'], true, undefined],
      [['http://localhost.shop.example'], true, 'null'],
    ];
  for (const [origins, isNested, disallowed] of withoutListCases) {
    const page = isNested ? 'a page in another page' : 'a page';
    it(`a browser without ancestorOrigins, ${page}, ${origins}: ${disallowed ?? 'allowed'}`, () => {
      assert.equal(findDisallowedAncestor(undefined, origins, isNested), disallowed);
    });
  }

  it('an empty list allows no ancestor', () => {
    assert.equal(
      findDisallowedAncestor(['https://shop.example'], [], false),
      'https://shop.example',
    );
  });
});
