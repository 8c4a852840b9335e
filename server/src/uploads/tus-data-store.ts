import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Problem } from '@cloche/contract/problem';
import { FileStore } from '@tus/file-store';
import type { Upload } from '@tus/server';
import { UPLOAD_LIFETIME_MS } from './tus-upload.ts';
import { type TusUploadStore, toTusServerUpload } from './tus-upload-store.ts';

/**
 * Writes what arrives into the folder. Differs from FileStore where that hides why a write failed,
 * answers to bytes before they are safe, and knows no upload whose bytes have moved on.
 */
export class TusDataStore extends FileStore {
  readonly #uploads: TusUploadStore;

  constructor(arrivals: TusUploadStore) {
    super({
      directory: arrivals.directory,
      configstore: arrivals,
      expirationPeriodInMilliseconds: UPLOAD_LIFETIME_MS,
    });
    this.#uploads = arrivals;
  }

  /** What came before an error stays: the client goes on behind it. */
  override async write(bytes: Readable, id: string, offset: number): Promise<number> {
    let file: FileHandle | undefined;
    let end = offset;
    try {
      for await (const chunk of bytes as AsyncIterable<Uint8Array>) {
        file ??= await open(this.#uploads.dataPath(id), 'r+');
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
    const arrival = this.#uploads.find(id);
    if (arrival === undefined) throw new Problem('upload.unknown');
    return toTusServerUpload(arrival, await this.#uploads.getOffset(arrival));
  }

  override async remove(id: string): Promise<void> {
    await this.#uploads.remove(id);
  }
}
