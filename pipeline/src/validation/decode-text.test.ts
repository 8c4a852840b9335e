import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decodeText } from './decode-text.ts';

const ROWS: [encoding: string, bytes: Buffer, text: string][] = [
  ['UTF-8', Buffer.from('Küche 5 €'), 'Küche 5 €'],
  ['Windows-1252', Buffer.from('Küche 5 \x80', 'latin1'), 'Küche 5 €'],
  ['UTF-8 with a character that stands for an error', Buffer.from('a\ufffdb'), 'a\ufffdb'],
];
for (const [encoding, bytes, text] of ROWS) {
  it(`decodes ${encoding}`, () => assert.equal(decodeText(bytes), text));
}
