import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openTemporaryDirectory } from '../../testing/temporary-directory.ts';
import { InvalidResultError } from './read-results.ts';
import { ResultTooLargeError, receiveResults } from './receive-results.ts';

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)));

describe('receiveResults', () => {
  it('stores files, however their bytes are divided into chunks', async (t) => {
    const stream = bytes('model.glb 4\n', [10, 0, 255, 10], 'empty.json 0\n', 'report.json 2\n{}');
    for (let size = 1; size <= stream.length; size++) {
      const directory = await openTemporaryDirectory(t);
      await receiveResults(split(stream, size), directory, 6);
      assert.deepEqual([...(await readFile(join(directory, 'model.glb')))], [10, 0, 255, 10]);
      assert.equal(await readFile(join(directory, 'report.json'), 'utf8'), '{}');
      assert.equal((await stat(join(directory, 'empty.json'))).size, 0);
    }
  });

  it('says when each file is complete', async (t) => {
    const stream = bytes('preview.glb 4\n', [10, 0, 255, 10], 'model.glb 3\nabc');
    for (const size of [1, 7, stream.length]) {
      const directory = await openTemporaryDirectory(t);
      const complete: [name: string, bytes: number][] = [];
      await receiveResults(split(stream, size), directory, 7, (name) =>
        complete.push([name, statSync(join(directory, name)).size]),
      );
      assert.deepEqual(complete, [
        ['preview.glb', 4],
        ['model.glb', 3],
      ]);
    }
  });

  it('says nothing of a file that is not complete', async (t) => {
    const directory = await openTemporaryDirectory(t);
    const fail = () => assert.fail('The file is complete.');
    const stream = split(bytes('preview.glb 6\n123'), 4);
    await assert.rejects(receiveResults(stream, directory, 6, fail), InvalidResultError);
  });

  const hostile: [reason: string, stream: string, error: new () => Error][] = [
    ['one byte too many in one file', 'model.glb 7\n1234567', ResultTooLargeError],
    ['one byte too many in two files', 'model.glb 3\n123a.json 4\n1234', ResultTooLargeError],
    ['a size that is announced and not sent', 'model.glb 999999999999999\n', ResultTooLargeError],
    ['a file in another directory', '../model.glb 1\n1', InvalidResultError],
    ['an absolute path', '/tmp/model.glb 1\n1', InvalidResultError],
    ['a hidden file', '.glb 1\n1', InvalidResultError],
    ['a NUL in the name', 'a\0.glb 1\n1', InvalidResultError],
    ['another extension', 'model.node 1\n1', InvalidResultError],
    ['a negative size', 'model.glb -1\n1', InvalidResultError],
    ['a size that is not a number', 'model.glb 0x1\n1', InvalidResultError],
    ['the same name twice', 'a.json 1\n1a.json 1\n1', InvalidResultError],
    ['a header without an end', `${'a'.repeat(200)}`, InvalidResultError],
    ['an incomplete header', 'model.glb', InvalidResultError],
    ['an incomplete file', 'model.glb 6\n123', InvalidResultError],
    ['bytes after the last file', 'a.json 1\n11', InvalidResultError],
  ];
  for (const [reason, stream, error] of hostile) {
    it(`refuses ${reason}`, async (t) => {
      for (const size of [1, stream.length]) {
        const directory = await openTemporaryDirectory(t);
        const root = join(directory, 'out');
        await mkdir(root);
        await assert.rejects(receiveResults(split(bytes(stream), size), root, 6), error);
        assert.deepEqual(await readdir(directory), ['out']);
      }
    });
  }
});

async function* split(stream: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < stream.length; start += size)
    yield stream.subarray(start, start + size);
}
