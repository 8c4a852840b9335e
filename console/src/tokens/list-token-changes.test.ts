import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listTokenChanges } from './list-token-changes.ts';

const TOKEN = {
  name: 'shop',
  origins: ['https://shop.example'],
  designs: null,
  expiresAt: '2026-10-25T00:30:00.123Z',
};

test('only what has changed is sent', () => {
  assert.deepEqual(listTokenChanges(TOKEN, { ...TOKEN, origins: [...TOKEN.origins] }), {});
  const rows: [changed: Partial<typeof TOKEN>, sent?: object][] = [
    [{ name: 'other' }],
    [{ name: '' }, { name: null }],
    [{ origins: [] }],
    [{ expiresAt: '2026-10-25T00:30:00.000Z' }],
  ];
  for (const [changed, sent = changed] of rows)
    assert.deepEqual(listTokenChanges(TOKEN, { ...TOKEN, ...changed }), sent);
  const limited = { ...TOKEN, designs: ['a'] };
  assert.deepEqual(listTokenChanges(TOKEN, limited), { designs: ['a'] });
  assert.deepEqual(listTokenChanges(limited, TOKEN), { designs: null });
});
