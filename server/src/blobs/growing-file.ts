import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { BlobRef } from './blob-store.ts';
import { writeAll } from './draft-file.ts';

const READ_BYTES = 256 * 1024;

/** The file could not be written or read. The cause is the error of the file system. */
export class CacheFileError extends Error {
  override readonly name = 'CacheFileError';
}

/** A file that a blob is downloaded to, at the speed of the server. Its readers do not wait for its end, nor it for them. */
export class GrowingFile {
  readonly sizeBytes: number;
  readonly #file: FileHandle;
  readonly #path: string;
  #writtenBytes = 0;
  /** The end of what was written. A reader that keeps up gets it without reading the file. */
  #lastChunk: Uint8Array = new Uint8Array();
  #error: unknown;
  #change = Promise.withResolvers<void>();

  private constructor(file: FileHandle, path: string, sizeBytes: number) {
    this.#file = file;
    this.#path = path;
    this.sizeBytes = sizeBytes;
  }

  /** Creates the file, whose size is known before its bytes. */
  static async create(path: string, sizeBytes: number): Promise<GrowingFile> {
    return new GrowingFile(await open(path, 'wx', 0o600), path, sizeBytes);
  }

  /**
   * Writes the file, syncs it and closes it. Readers get the last bytes only if those of the whole file have the SHA-256.
   *
   * @throws {CacheFileError}
   */
  async write(ref: BlobRef, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      await using file = this.#file;
      const hash = createHash('sha256');
      for await (const chunk of bytes) {
        hash.update(chunk);
        await writeAll(file, chunk).catch(throwFileError);
        if (this.#writtenBytes + chunk.length < this.sizeBytes) this.#publish(chunk);
        else this.#publishEnd(chunk, hash.digest('hex') === ref);
      }
      if (this.#writtenBytes < this.sizeBytes) throw new Error(`The blob ${ref} is not complete.`);
      await file.sync().catch(throwFileError);
    } catch (error) {
      this.#error = error;
      this.#change.resolve();
      throw error;
    }
  }

  /**
   * Yields the bytes while they are written.
   *
   * @param readRest opens the rest of the blob elsewhere, if the file cannot be written or read
   */
  async *read(readRest: (start: number) => Promise<AsyncIterable<Uint8Array>>) {
    let position = 0;
    let file: FileHandle | undefined;
    try {
      // Also if the file gets another name.
      file = await open(this.#path).catch(throwFileError);
      while (position < this.sizeBytes) {
        const chunk = await this.#readChunk(file, position);
        position += chunk.length;
        yield chunk;
      }
    } catch (error) {
      if (!(error instanceof CacheFileError)) throw error;
      yield* await readRest(position);
    } finally {
      await file?.close();
    }
  }

  async #readChunk(file: FileHandle, position: number): Promise<Uint8Array> {
    while (this.#writtenBytes <= position) {
      if (this.#error !== undefined) throw this.#error;
      await this.#change.promise;
    }
    const start = this.#writtenBytes - this.#lastChunk.length;
    if (position >= start) return this.#lastChunk.subarray(position - start);
    const chunk = Buffer.allocUnsafe(Math.min(READ_BYTES, start - position));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, position).catch(throwFileError);
    if (bytesRead === 0) throw new CacheFileError(`${this.#path} was changed.`);
    return chunk.subarray(0, bytesRead);
  }

  #publish(chunk: Uint8Array): void {
    this.#writtenBytes += chunk.length;
    this.#lastChunk = chunk;
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }

  #publishEnd(chunk: Uint8Array, isCorrect: boolean): void {
    if (!isCorrect) throw new Error('The bytes of the blob do not have its SHA-256.');
    this.#publish(chunk);
  }
}

function throwFileError(cause: Error): never {
  throw new CacheFileError(cause.message, { cause });
}
