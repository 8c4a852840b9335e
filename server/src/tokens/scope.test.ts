import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '@cloche/contract/problem';
import { assertWithinScope, isWithinLimits } from './scope.ts';
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

/** `field` exceeds the scope of the parent. Undefined: the child is within the scope. */
const cases: [
  reason: string,
  child: Partial<TokenScope>,
  parent: Partial<TokenScope>,
  field?: keyof TokenScope,
][] = [
  ['the same scope', {}, {}],
  ['fewer capabilities, and origins', { capabilities: ['embed'], origins: [shop] }, {}],
  [
    'capabilities in a different order',
    { capabilities: ['embed', 'write'] },
    { capabilities: ['write', 'embed'] },
  ],
  ['one more capability', {}, { capabilities: ['write', 'embed'] }, 'capabilities'],
  [
    'embed from a parent with write only',
    { capabilities: ['embed'] },
    { capabilities: ['write'] },
    'capabilities',
  ],
  [
    'read from a parent with write only',
    { capabilities: ['read'] },
    { capabilities: ['write'] },
    'capabilities',
  ],

  ['no origins, parent has origins', {}, { origins: [shop] }, 'origins'],
  ['the same origins', { origins: [shop] }, { origins: [shop] }],
  ['some of the origins', { origins: [shop] }, { origins: ['https://a.example', shop] }],
  ['one more origin', { origins: [shop, 'https://b.example'] }, { origins: [shop] }, 'origins'],
  ['a different scheme', { origins: ['http://shop.example'] }, { origins: [shop] }, 'origins'],
  ['a different port', { origins: [`${shop}:8443`] }, { origins: [shop] }, 'origins'],
  [
    'a subdomain of a wildcard',
    { origins: ['https://a.shop.example'] },
    { origins: ['https://*.shop.example'] },
  ],
  [
    'a wildcard from one host',
    { origins: ['https://*.shop.example'] },
    { origins: [shop] },
    'origins',
  ],
  [
    'the parent domain of a wildcard',
    { origins: [shop] },
    { origins: ['https://*.shop.example'] },
    'origins',
  ],
  [
    'any port from one port',
    { origins: ['http://localhost:*'] },
    { origins: ['http://localhost:5173'] },
    'origins',
  ],
  [
    'one port from any port',
    { origins: ['http://localhost:5173'] },
    { origins: ['http://localhost:*'] },
  ],

  ['all designs, parent has some', {}, { designs: ['a'] }, 'designs'],
  ['the same design', { designs: ['a'] }, { designs: ['a'] }],
  ['some of the designs', { designs: ['b'] }, { designs: ['a', 'b'] }],
  ['one more design', { designs: ['a', 'c'] }, { designs: ['a', 'b'] }, 'designs'],
  ['some designs, parent has all', { designs: ['a'] }, {}],

  ['no expiry, parent expires', {}, { expiresAt: noon }, 'expiresAt'],
  ['the same expiry', { expiresAt: noon }, { expiresAt: noon }],
  ['an earlier expiry', { expiresAt: noon }, { expiresAt: evening }],
  ['a later expiry', { expiresAt: evening }, { expiresAt: noon }, 'expiresAt'],
  ['an expiry, parent never expires', { expiresAt: noon }, {}],
];

for (const [reason, child, parent, field] of cases) {
  test(`${reason}: ${field ? `${field} exceeds the scope` : 'within the scope'}`, () => {
    const act = () =>
      assertWithinScope({ ...unrestricted, ...child }, { ...unrestricted, ...parent });
    if (field === undefined) return act();
    assert.throws(act, (error) => {
      assert.ok(error instanceof Problem);
      assert.equal(error.code, 'token.scope-exceeded');
      assert.equal(error.field, field);
      assert.ok(error.message.startsWith(`${field}: `), error.message);
      return true;
    });
  });
}

test('the limits of a token are its origins and designs, not its capabilities and its expiry', () => {
  const parent = {
    ...unrestricted,
    capabilities: ['write' as const],
    origins: [shop],
    expiresAt: noon,
  };
  const child = { ...unrestricted, origins: [shop] };
  assert.ok(isWithinLimits(child, parent));
  assert.throws(() => assertWithinScope(child, parent));
  assert.ok(!isWithinLimits(unrestricted, parent));
  assert.ok(!isWithinLimits(unrestricted, { ...unrestricted, designs: [] }));
});
