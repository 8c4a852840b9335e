import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Permissions, toPermissions } from './permissions.ts';

const ALL = ['read', 'write', 'embed'] as const;
const NO_LIMITS = { origins: [], designs: null, operator: true };

test('what a session may do, by the limits of its token', () => {
  const rows: [string, Parameters<typeof toPermissions>[0], string][] = [
    [
      'all',
      { ...NO_LIMITS, capabilities: [...ALL] },
      'mayRead mayWrite mayEmbed mayUpload mayIssueForAll mayShare isOperator',
    ],
    [
      'some designs',
      { ...NO_LIMITS, capabilities: [...ALL], designs: ['a'] },
      'mayRead mayWrite mayEmbed mayShare',
    ],
    [
      'some origins',
      { ...NO_LIMITS, capabilities: [...ALL], origins: ['https://shop.example'] },
      'mayRead mayWrite mayEmbed mayUpload mayIssueForAll',
    ],
    ['read', { ...NO_LIMITS, capabilities: ['read'], operator: false }, 'mayRead'],
    [
      'write',
      { ...NO_LIMITS, capabilities: ['write'], operator: false },
      'mayWrite mayUpload mayIssueForAll',
    ],
  ];
  for (const [name, session, expected] of rows) {
    const permissions = toPermissions(session);
    const names = (Object.keys(permissions) as (keyof Permissions)[]).filter(
      (key) => permissions[key],
    );
    assert.equal(names.join(' '), expected, name);
  }
});
