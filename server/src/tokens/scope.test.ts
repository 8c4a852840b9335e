import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '@cloche/contract/problem';
import { assertWithinScope } from './scope.ts';
import type { TokenScope } from './token.ts';

const noon = new Date('2026-11-21T12:00:00Z');
const evening = new Date('2026-11-21T18:00:00Z');
const unrestricted: TokenScope = {
  capabilities: ['read', 'write', 'embed'],
  origins: [],
  designs: undefined,
  expiresAt: undefined,
};
const shop = 'https://shop.example';

// The field at fault, or nothing when the child may be made.
const rows: [
  why: string,
  child: Partial<TokenScope>,
  parent: Partial<TokenScope>,
  fault?: string,
][] = [
  ['all it has itself', {}, {}],
  ['less', { capabilities: ['embed'], origins: [shop] }, {}],
  ['in another order', { capabilities: ['embed', 'write'] }, { capabilities: ['write', 'embed'] }],
  ['a capability more', {}, { capabilities: ['write', 'embed'] }, 'capabilities'],
  [
    'embed by write alone',
    { capabilities: ['embed'] },
    { capabilities: ['write'] },
    'capabilities',
  ],
  ['read by write alone', { capabilities: ['read'] }, { capabilities: ['write'] }, 'capabilities'],

  ['no origins of a bound parent', {}, { origins: [shop] }, 'origins'],
  ['the same origins', { origins: [shop] }, { origins: [shop] }],
  ['some of the origins', { origins: [shop] }, { origins: ['https://a.example', shop] }],
  ['one origin more', { origins: [shop, 'https://b.example'] }, { origins: [shop] }, 'origins'],
  ['the other scheme', { origins: ['http://shop.example'] }, { origins: [shop] }, 'origins'],
  ['another port', { origins: [`${shop}:8443`] }, { origins: [shop] }, 'origins'],
  [
    'under a star',
    { origins: ['https://a.shop.example'] },
    { origins: ['https://*.shop.example'] },
  ],
  ['a star from one name', { origins: ['https://*.shop.example'] }, { origins: [shop] }, 'origins'],
  ['the apex of a star', { origins: [shop] }, { origins: ['https://*.shop.example'] }, 'origins'],
  [
    'any port from one port',
    { origins: ['http://localhost:*'] },
    { origins: ['http://localhost:5173'] },
    'origins',
  ],
  ['one port of any', { origins: ['http://localhost:5173'] }, { origins: ['http://localhost:*'] }],

  ['all designs of a bound parent', {}, { designs: ['a'] }, 'designs'],
  ['the same design', { designs: ['a'] }, { designs: ['a'] }],
  ['some of the designs', { designs: ['b'] }, { designs: ['a', 'b'] }],
  ['one design more', { designs: ['a', 'c'] }, { designs: ['a', 'b'] }, 'designs'],
  ['a design of an unbound parent', { designs: ['a'] }, {}],

  ['no end of a parent that ends', {}, { expiresAt: noon }, 'expiresAt'],
  ['the same end', { expiresAt: noon }, { expiresAt: noon }],
  ['an earlier end', { expiresAt: noon }, { expiresAt: evening }],
  ['a later end', { expiresAt: evening }, { expiresAt: noon }, 'expiresAt'],
  ['an end, of a parent without', { expiresAt: noon }, {}],
];

for (const [why, child, parent, fault] of rows) {
  test(`${why}: ${fault ? `refused, naming ${fault}` : 'granted'}`, () => {
    const act = () =>
      assertWithinScope({ ...unrestricted, ...child }, { ...unrestricted, ...parent });
    if (fault === undefined) return act();
    assert.throws(act, (error) => {
      assert.ok(error instanceof Problem);
      assert.equal(error.code, 'token.reach');
      assert.equal(error.field, fault);
      assert.ok(error.message.startsWith(`${fault}: `), error.message);
      return true;
    });
  });
}
