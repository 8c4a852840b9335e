import { open } from 'node:fs/promises';
import { Problem } from '@cloche/contract/problem';

/** The maximum number of bytes that are read at once. */
export const READ_BLOCK_BYTES = 1024 * 1024;

/** Random access to bytes. `read` returns exactly `length` bytes. */
export type ByteReader = {
  readonly size: number;
  read(offset: number, length: number): Promise<Buffer>;
};

/** Opens a file for reading. Disposing the reader closes it. */
export async function openFileReader(path: string): Promise<ByteReader & AsyncDisposable> {
  const file = await open(path, 'r');
  const { size } = await file.stat();
  return {
    size,
    async read(offset, length) {
      // Not from Node's buffer pool: a pooled buffer keeps the whole pool slab in memory.
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

/** Creates a reader of bytes in memory. */
export function createBufferReader(bytes: Buffer): ByteReader {
  return {
    size: bytes.length,
    async read(offset, length) {
      if (offset + length > bytes.length) throw fileShrunkError();
      return bytes.subarray(offset, offset + length);
    },
  };
}

/** Reads a range of bytes, by default all, one block at a time. */
export async function* readBlocks(
  byteReader: ByteReader,
  { offset, length }: { offset: number; length: number } = { offset: 0, length: byteReader.size },
): AsyncGenerator<Buffer> {
  for (let start = 0; start < length; start += READ_BLOCK_BYTES) {
    yield await byteReader.read(offset + start, Math.min(READ_BLOCK_BYTES, length - start));
  }
}

function fileShrunkError(): Problem {
  return new Problem('server.failed', {
    detail: 'The stored file became shorter while it was read.',
  });
}
