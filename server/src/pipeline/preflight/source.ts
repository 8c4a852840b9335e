import { open } from 'node:fs/promises';
import { Problem } from '@cloche/contract/problem';

/** The most that is read, and held, at once. */
export const BLOCK_BYTES = 1024 * 1024;

/** Bytes that can be read at any place. `read` gives exactly what was asked for. */
export type Source = {
  readonly size: number;
  read(offset: number, length: number): Promise<Buffer>;
};

/** Opens a file for reading; leaving the block closes it. */
export async function openSource(path: string): Promise<Source & AsyncDisposable> {
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
        if (bytesRead === 0) throw shrunk();
        filled += bytesRead;
      }
      return bytes;
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}

/** Bytes that are in memory already. */
export function bytesSource(bytes: Buffer): Source {
  return {
    size: bytes.length,
    async read(offset, length) {
      if (offset + length > bytes.length) throw shrunk();
      return bytes.subarray(offset, offset + length);
    },
  };
}

/** A stretch of a source, as a source. */
export function sliceOf(source: Source, offset: number, length: number): Source {
  return { size: length, read: (at, count) => source.read(offset + at, count) };
}

/** The bytes from first to last, a block at a time. */
export async function* blocksOf(
  source: Source,
  { offset, length }: { offset: number; length: number } = { offset: 0, length: source.size },
): AsyncGenerator<Buffer> {
  for (let at = 0; at < length; at += BLOCK_BYTES) {
    yield await source.read(offset + at, Math.min(BLOCK_BYTES, length - at));
  }
}

function shrunk(): Problem {
  return new Problem('server.failed', { detail: 'The stored file is shorter than it was.' });
}
