import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findDisallowedAncestor } from './find-disallowed-ancestor.ts';

const allowedOrigins = ['https://shop.example', 'https://*.brand.example', 'http://localhost:*'];

describe('the ancestors of a frame', () => {
  const rows: [why: string, ancestors: string[] | undefined, stranger: string | undefined][] = [
    ['the page itself', ['https://shop.example'], undefined],
    ['a browser that does not tell', undefined, undefined],
    ['a page without an origin', ['null', 'https://shop.example'], undefined],
    ['another page', ['https://evil.example'], 'https://evil.example'],
    [
      'a good page in a bad one',
      ['https://shop.example', 'https://evil.example'],
      'https://evil.example',
    ],
    ['another scheme', ['http://shop.example'], 'http://shop.example'],
    ['another port', ['https://shop.example:8443'], 'https://shop.example:8443'],
    ['a name that only starts alike', ['https://shop.example.evil'], 'https://shop.example.evil'],
    ['a subdomain that is not listed', ['https://a.shop.example'], 'https://a.shop.example'],
    ['a listed subdomain', ['https://a.brand.example'], undefined],
    ['a subdomain of any depth', ['https://a.b.brand.example'], undefined],
    ['not the name above them', ['https://brand.example'], 'https://brand.example'],
    ['a name that only ends alike', ['https://xbrand.example'], 'https://xbrand.example'],
    ['any port where any is listed', ['http://localhost:5173'], undefined],
    ['no port where any is listed', ['http://localhost'], undefined],
    ['https where http is listed', ['https://localhost:5173'], 'https://localhost:5173'],
  ];

  for (const [why, ancestors, stranger] of rows) {
    it(`${why}: ${stranger === undefined ? 'may show' : 'stranger'}`, () => {
      assert.equal(findDisallowedAncestor(ancestors, allowedOrigins), stranger);
    });
  }

  it('are all strangers to an empty list', () => {
    assert.equal(findDisallowedAncestor(['https://shop.example'], []), 'https://shop.example');
  });
});
