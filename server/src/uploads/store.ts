import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Problem } from '@cloche/contract/problem';
import { FileStore } from '@tus/file-store';
import type { Upload } from '@tus/server';
import { LIFETIME_MS } from './arrival.ts';
import { type Arrivals, asUpload } from './arrivals.ts';

/**
 * Writes what arrives into the folder. Differs from FileStore where that hides why a write failed,
 * answers to bytes before they are safe, and knows no upload whose bytes have moved on.
 */
export class FolderStore extends FileStore {
  readonly #arrivals: Arrivals;

  constructor(arrivals: Arrivals) {
    super({
      directory: arrivals.folder,
      configstore: arrivals,
      expirationPeriodInMilliseconds: LIFETIME_MS,
    });
    this.#arrivals = arrivals;
  }

  /** What came before an error stays: the client goes on behind it. */
  override async write(bytes: Readable, id: string, offset: number): Promise<number> {
    let file: FileHandle | undefined;
    let end = offset;
    try {
      for await (const chunk of bytes as AsyncIterable<Uint8Array>) {
        file ??= await open(this.#arrivals.pathOf(id), 'r+');
        for (let done = 0; done < chunk.length; ) {
          done += (await file.write(chunk, done, undefined, end + done)).bytesWritten;
        }
        end += chunk.length;
      }
      await file?.datasync();
      return end;
    } finally {
      await file?.close();
    }
  }

  override async getUpload(id: string): Promise<Upload> {
    const arrival = this.#arrivals.find(id);
    if (arrival === undefined) throw new Problem('upload.unknown');
    return asUpload(arrival, await this.#arrivals.offsetOf(arrival));
  }

  override async remove(id: string): Promise<void> {
    await this.#arrivals.remove(id);
  }
}
