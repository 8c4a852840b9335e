import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createProgressReader } from './progress-reader.ts';

/** Returns the progress read from a text that arrives in pieces of `size` bytes. */
function readInPieces(text: string, size = 7): string[] {
  const updates: string[] = [];
  const read = createProgressReader((step, percent) => updates.push(`${step} ${percent}`));
  const bytes = Buffer.from(text);
  for (let offset = 0; offset < bytes.length; offset += size) {
    read(bytes.subarray(offset, offset + size));
  }
  return updates;
}

const progressLine = (step: unknown, percent: unknown) => `${JSON.stringify({ step, percent })}\n`;

it('reads each line, also when it arrives in pieces', () => {
  const text =
    progressLine('read', 0) + progressLine('textures', 40.7) + progressLine('write', 100);
  for (const size of [1, 7, 1000]) {
    assert.deepEqual(readInPieces(text, size), ['read 0', 'textures 40', 'write 100']);
  }
});

it('never decreases the percentage', () => {
  assert.deepEqual(readInPieces(progressLine('read', 30) + progressLine('clean', 5)), [
    'read 30',
    'clean 30',
  ]);
});

it('ignores invalid lines and reads the next one', () => {
  const invalid = [
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
  for (const text of invalid)
    assert.deepEqual(readInPieces(text + progressLine('clean', 2)), ['clean 2'], text);
});

it('reads at most ten thousand lines', () => {
  const updates = readInPieces(progressLine('read', 1).repeat(20_000), 64 * 1024);
  assert.equal(updates.length, 10_000);
});

it('does not buffer a line without an end', () => {
  const read = createProgressReader(() => assert.fail());
  const piece = Buffer.alloc(64 * 1024, '1');
  const before = process.memoryUsage().arrayBuffers;
  for (let count = 0; count < 200; count++) read(piece);
  assert.ok(process.memoryUsage().arrayBuffers - before < 1024 * 1024);
});

it('passes on the memory, whatever the worker writes', () => {
  const memory: number[] = [];
  const read = createProgressReader(
    () => {},
    (bytes) => memory.push(bytes),
  );
  for (const memoryBytes of [1000, '2000', -1, 0, 1.5, null, 1e300, 2 ** 50])
    read(Buffer.from(`${JSON.stringify({ memoryBytes })}\n`));
  assert.deepEqual(memory, [1000, 2 ** 40]);
});
