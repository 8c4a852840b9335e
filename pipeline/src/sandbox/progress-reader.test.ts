import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createProgressReader } from './progress-reader.ts';

/** What is heard when this comes in pieces of that many bytes. */
function readInPieces(text: string, size = 7): string[] {
  const heard: string[] = [];
  const read = createProgressReader((step, percent) => heard.push(`${step} ${percent}`));
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size));
  return heard;
}

const progressLine = (step: unknown, percent: unknown) => `${JSON.stringify({ step, percent })}\n`;

it('hears each line, however it is cut', () => {
  const text =
    progressLine('read', 0) + progressLine('textures', 40.7) + progressLine('write', 100);
  for (const size of [1, 7, 1000]) {
    assert.deepEqual(readInPieces(text, size), ['read 0', 'textures 40', 'write 100']);
  }
});

it('never falls back', () => {
  assert.deepEqual(readInPieces(progressLine('read', 30) + progressLine('clean', 5)), [
    'read 30',
    'clean 30',
  ]);
});

it('passes over what is not progress, and hears the next line', () => {
  const wrong = [
    progressLine('dance', 1),
    progressLine('toString', 1),
    progressLine(['read'], 1),
    progressLine('read', '40'),
    progressLine('read', -1),
    progressLine('read', 101),
    progressLine('read', null),
    '\n',
    'null\n',
    '[]\n',
    '{"step":"read"\n',
    '\0\xff\n',
    `${'['.repeat(150)}\n`,
    `${JSON.stringify({ step: 'read', percent: 1, more: 'x'.repeat(200) })}\n`,
  ];
  for (const text of wrong)
    assert.deepEqual(readInPieces(text + progressLine('clean', 2)), ['clean 2'], text);
});

it('hears no more than ten thousand lines', () => {
  const heard = readInPieces(progressLine('read', 1).repeat(20_000), 64 * 1024);
  assert.equal(heard.length, 10_000);
});

it('keeps nothing of a line without an end', () => {
  const read = createProgressReader(() => assert.fail());
  const piece = Buffer.alloc(64 * 1024, '1');
  const before = process.memoryUsage().arrayBuffers;
  for (let at = 0; at < 200; at++) read(piece);
  assert.ok(process.memoryUsage().arrayBuffers - before < 1024 * 1024);
});
