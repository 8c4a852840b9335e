import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CheckInput, createCheckRequest } from './check-request.ts';

const INPUT: CheckInput = {
  ...{ designId: 'design', token: { id: 'tok_1', text: undefined } },
  ...{ url: 'shop.example/chairs', outerPages: '', hidesReferrer: false },
};

test('what is checked', () => {
  const text = 'cloche_pk_other';
  const rows: [change: Partial<CheckInput>, request: object][] = [
    [{}, { tokenId: 'tok_1' }],
    [{ token: { id: 'tok_1', text } }, { token: text }],
    [{ hidesReferrer: true }, { tokenId: 'tok_1', hidesReferrer: true }],
    [
      { outerPages: 'https://a.example/x, b.example a.example' },
      {
        tokenId: 'tok_1',
        ancestors: ['shop', 'a', 'b', 'a'].map((name) => `https://${name}.example`),
      },
    ],
  ];
  for (const [change, expected] of rows) {
    const request = { design: 'design', ancestors: ['https://shop.example'], ...expected };
    assert.deepEqual(createCheckRequest({ ...INPUT, ...change }), { request });
  }
});

test('a mistake names its field', () => {
  const rows: [change: Partial<CheckInput>, field: string][] = [
    [{ token: undefined }, 'url'],
    [{ url: '' }, 'url'],
    [{ url: 'a.example b.example' }, 'url'],
    [{ outerPages: 'a.example '.repeat(20) }, 'outerPages'],
  ];
  for (const [change, field] of rows) {
    const result = createCheckRequest({ ...INPUT, ...change });
    assert.ok('mistake' in result && result.mistake.field === field, JSON.stringify(change));
  }
});
