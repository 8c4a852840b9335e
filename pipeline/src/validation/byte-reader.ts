import { open } from 'node:fs/promises';
import { Problem } from '@cloche/contract/problem';

/** The most that is read, and held, at once. */
export const READ_BLOCK_BYTES = 1024 * 1024;

/** Bytes that can be read at any place. `read` gives exactly what was asked for. */
export type ByteReader = {
  readonly size: number;
  read(offset: number, length: number): Promise<Buffer>;
};

/** Opens a file for reading; leaving the block closes it. */
export async function openFileReader(path: string): Promise<ByteReader & AsyncDisposable> {
  const file = await open(path, 'r');
  const { size } = await file.stat();
  return {
    size,
    async read(offset, length) {
      // Not from Node's pool: a pooled block would keep its neighbours alive.
      const bytes = Buffer.allocUnsafeSlow(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await file.read(bytes, filled, length - filled, offset + filled);
        if (bytesRead === 0) throw fileShrunkError();
        filled += bytesRead;
      }
      return bytes;
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}

/** Bytes that are in memory already. */
export function createBufferReader(bytes: Buffer): ByteReader {
  return {
    size: bytes.length,
    async read(offset, length) {
      if (offset + length > bytes.length) throw fileShrunkError();
      return bytes.subarray(offset, offset + length);
    },
  };
}

/** A stretch of a source, as a source. */
export function createSliceReader(source: ByteReader, offset: number, length: number): ByteReader {
  return { size: length, read: (at, count) => source.read(offset + at, count) };
}

/** The bytes from first to last, a block at a time. */
export async function* readBlocks(
  source: ByteReader,
  { offset, length }: { offset: number; length: number } = { offset: 0, length: source.size },
): AsyncGenerator<Buffer> {
  for (let at = 0; at < length; at += READ_BLOCK_BYTES) {
    yield await source.read(offset + at, Math.min(READ_BLOCK_BYTES, length - at));
  }
}

function fileShrunkError(): Problem {
  return new Problem('server.failed', { detail: 'The stored file is shorter than it was.' });
}
