import { type FileHandle, open, rm, writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Problem } from '@cloche/contract/problem';
import { FileStore } from '@tus/file-store';
import type { Upload } from '@tus/server';
import { UPLOAD_LIFETIME_MS } from './tus-upload.ts';
import { type TusUploadStore, toTusServerUpload } from './tus-upload-store.ts';

/**
 * Writes received bytes to files. Overrides methods of FileStore, which hides why a write failed,
 * responds before the bytes are durable, and cannot handle complete uploads: their data file is deleted.
 */
export class TusFileStore extends FileStore {
  readonly #uploads: TusUploadStore;

  constructor(uploads: TusUploadStore) {
    super({
      directory: uploads.directory,
      configstore: uploads,
      expirationPeriodInMilliseconds: UPLOAD_LIFETIME_MS,
    });
    this.#uploads = uploads;
  }

  override async create(upload: Upload): Promise<Upload> {
    const path = this.#uploads.dataPath(upload.id);
    await writeFile(path, '', { flag: 'wx', mode: 0o600 });
    try {
      // Also syncs the directory, and with it the name of the data file.
      await this.#uploads.set(upload.id, upload);
    } catch (error) {
      // Without metadata on the disk, the upload does not survive a restart: nobody may continue it.
      await rm(path, { force: true });
      throw error;
    }
    upload.storage = { type: 'file', path };
    return upload;
  }

  /** Keeps the bytes written before an error: the client continues after them. */
  override async write(bytes: Readable, id: string, offset: number): Promise<number> {
    let file: FileHandle | undefined;
    let end = offset;
    try {
      for await (const chunk of bytes as AsyncIterable<Uint8Array>) {
        file ??= await open(this.#uploads.dataPath(id), 'r+');
        for (let written = 0; written < chunk.length; ) {
          const { bytesWritten } = await file.write(chunk, written, undefined, end + written);
          written += bytesWritten;
        }
        end += chunk.length;
      }
      // With the size of the file, which is the offset of the upload.
      await file?.datasync();
      return end;
    } finally {
      await file?.close();
    }
  }

  override async getUpload(id: string): Promise<Upload> {
    const upload = await this.#uploads.find(id);
    if (upload === undefined) throw new Problem('upload.unknown');
    return toTusServerUpload(upload, await this.#uploads.getOffset(upload));
  }

  override async remove(id: string): Promise<void> {
    await this.#uploads.remove(id);
  }
}
