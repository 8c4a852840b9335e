import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Problem } from '@cloche/contract/problem';
import { type KvStore, Upload } from '@tus/server';
import { completeDesignFields } from '../designs/design-fields.ts';
import { createDirectory } from '../disk/create-directory.ts';
import { replaceFile, syncDirectory } from '../disk/durable-files.ts';
import type { Logger } from '../http/logger.ts';
import {
  type InitialBytes,
  isExpired,
  type NewTusUpload,
  type TusUpload,
  UPLOAD_LIFETIME_MS,
  type UploadResult,
} from './tus-upload.ts';

/** Maximum number of incomplete uploads of one user. */
const MAX_INCOMPLETE_PER_USER = 100;

/**
 * Stores resumable uploads, in memory and in two files each: `<id>` with the bytes received so far and
 * `<id>.json` with everything else. Only one process may use the directory.
 */
export class TusUploadStore implements KvStore<Upload> {
  readonly directory: string;
  readonly #uploads = new Map<string, TusUpload>();
  /** Uploads whose file is stored, so that it no longer needs a reservation. */
  readonly #withoutQuota = new Set<string>();

  private constructor(directory: string) {
    this.directory = directory;
  }

  /**
   * Opens the directory. Deletes files without their counterpart, which a crash may leave. An upload whose
   * metadata cannot be read is not available, but its files are kept: the next start may be able to read it.
   */
  static async open(directory: string, log?: Pick<Logger, 'warn'>): Promise<TusUploadStore> {
    const store = new TusUploadStore(directory);
    await createDirectory(directory);
    await syncDirectory(dirname(directory));
    const fileNames = new Set(await readdir(directory));
    const neededNames = new Set<string>();
    for (const fileName of [...fileNames].filter((name) => name.endsWith('.json'))) {
      const id = basename(fileName, '.json');
      const metadata = await readMetadataFile(directory, id);
      if ('error' in metadata) {
        log?.warn({ err: metadata.error, upload: id }, 'an upload cannot be read; it is kept');
        neededNames.add(fileName).add(id);
        continue;
      }
      const { upload } = metadata;
      if (upload === undefined || !(upload.result !== undefined || fileNames.has(id))) continue;
      store.#uploads.set(id, upload);
      neededNames.add(fileName);
      if (upload.result === undefined) neededNames.add(id);
    }
    for (const fileName of fileNames.difference(neededNames)) {
      await rm(join(directory, fileName), { recursive: true, force: true });
    }
    return store;
  }

  /**
   * Creates an upload in memory. Its files are written later, by @tus/server.
   *
   * @throws {Problem} server.busy
   */
  create({ user, ...fields }: NewTusUpload, now: Date): TusUpload {
    const uploads = [...this.#uploads.values()];
    const incomplete = uploads.filter((upload) => upload.user === user && !upload.result);
    if (incomplete.length >= MAX_INCOMPLETE_PER_USER) {
      throw new Problem('server.busy', {
        detail: `You have ${MAX_INCOMPLETE_PER_USER} incomplete uploads. Complete or delete some; they expire ${UPLOAD_LIFETIME_MS / 3_600_000} hours after creation.`,
        retryAfterSeconds: 60,
      });
    }
    const upload: TusUpload = {
      id: randomBytes(16).toString('hex'),
      user,
      ...fields,
      metadata: undefined,
      createdAt: now,
      result: undefined,
    };
    this.#uploads.set(upload.id, upload);
    return upload;
  }

  /**
   * Returns what the uploads of a user will need that are neither complete nor expired.
   *
   * @param maxBytes counts for an upload whose length is not known
   */
  sumPending(user: string, maxBytes: number, now: Date): { bytes: number; designs: number } {
    const pending = { bytes: 0, designs: 0 };
    for (const upload of this.#uploads.values()) {
      if (upload.user !== user || upload.result !== undefined) continue;
      if (isExpired(upload, now) || this.#withoutQuota.has(upload.id)) continue;
      pending.bytes += upload.sizeBytes ?? maxBytes;
      if (upload.parsedMetadata.designId === undefined) pending.designs += 1;
    }
    return pending;
  }

  /** Excludes an upload from `sumPending`: its file is stored. */
  releaseQuota(id: string): void {
    this.#withoutQuota.add(id);
  }

  async listAll(): Promise<TusUpload[]> {
    return [...this.#uploads.values()];
  }

  async find(id: string): Promise<TusUpload | undefined> {
    return this.#uploads.get(id);
  }

  /** Finds the upload that a request with this Idempotency-Key created, unless it has expired. */
  async findByCreationKey(keyHash: string, now: Date): Promise<TusUpload | undefined> {
    return this.#uploads
      .values()
      .find((upload) => upload.creationKey?.keyHash === keyHash && !isExpired(upload, now));
  }

  /** Stores which bytes the request that created the upload contained. */
  async setInitialBytes({ id, creationKey }: TusUpload, initialBytes: InitialBytes): Promise<void> {
    if (creationKey === undefined) return;
    await this.#update(id, { creationKey: { ...creationKey, initialBytes } });
  }

  /** Whether an upload is complete or has a file: its client can continue it after an error. */
  async isResumable({ id }: TusUpload): Promise<boolean> {
    const upload = this.#uploads.get(id);
    if (upload === undefined) return false;
    return upload.result !== undefined || (await isFile(this.dataPath(id)));
  }

  /** Path of the file with the bytes received so far. */
  dataPath(id: string): string {
    return join(this.directory, id);
  }

  /** Returns the number of bytes received so far. */
  async getOffset({ id, result, sizeBytes }: TusUpload): Promise<number> {
    if (result !== undefined) return sizeBytes ?? 0;
    return (await stat(this.dataPath(id))).size;
  }

  /** Stores the result of an upload and deletes its bytes. */
  async complete(id: string, result: UploadResult): Promise<void> {
    await this.#update(id, { result });
    this.#withoutQuota.delete(id);
    await rm(this.dataPath(id), { force: true });
  }

  async remove(id: string): Promise<void> {
    this.#uploads.delete(id);
    this.#withoutQuota.delete(id);
    await rm(this.dataPath(id), { force: true });
    await rm(this.#metadataPath(id), { force: true });
    await syncDirectory(this.directory);
  }

  // KvStore: @tus/file-store reads and writes the metadata of uploads with get, set and delete.

  async get(id: string): Promise<Upload | undefined> {
    const upload = this.#uploads.get(id);
    return upload && toTusServerUpload(upload, 0);
  }

  async set(id: string, { size: sizeBytes, metadata }: Upload): Promise<void> {
    await this.#update(id, { sizeBytes, metadata });
  }

  async delete(id: string): Promise<void> {
    await this.remove(id);
  }

  async #update(id: string, change: Partial<TusUpload>): Promise<void> {
    const upload = this.#uploads.get(id);
    if (upload === undefined) throw new Problem('upload.unknown');
    const updated = { ...upload, ...change };
    this.#uploads.set(id, updated);
    try {
      await replaceFile(this.#metadataPath(id), JSON.stringify(updated));
    } catch (error) {
      if (this.#uploads.get(id) === updated) this.#uploads.set(id, upload);
      throw error;
    }
  }

  #metadataPath(id: string): string {
    return join(this.directory, `${id}.json`);
  }
}

/** Converts an upload to the class of @tus/server. */
export function toTusServerUpload(
  { id, sizeBytes, metadata, createdAt }: TusUpload,
  offset: number,
): Upload {
  return new Upload({
    id,
    offset,
    ...(sizeBytes !== undefined && { size: sizeBytes }),
    ...(metadata !== undefined && { metadata }),
    creation_date: createdAt.toISOString(),
  });
}

async function isFile(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isFile() ?? false;
}

/** Reads the metadata of an upload. `upload` is undefined if the file is no metadata. */
async function readMetadataFile(
  directory: string,
  id: string,
): Promise<{ upload: TusUpload | undefined } | { error: unknown }> {
  let text: string;
  try {
    text = await readFile(join(directory, `${id}.json`), 'utf8');
  } catch (error) {
    // Not a file that is damaged: the disk, the permissions or the number of open files.
    return { error };
  }
  try {
    const upload = JSON.parse(text);
    const { parsedMetadata, createdAt } = upload;
    if (upload.id !== id) return { upload: undefined };
    // An older release may have begun the upload, with fewer fields of a design.
    const fields = { ...completeDesignFields({}, ''), ...parsedMetadata.fields };
    const metadata = { ...parsedMetadata, fields };
    return { upload: { ...upload, parsedMetadata: metadata, createdAt: new Date(createdAt) } };
  } catch {
    // The client creates the upload again.
    return { upload: undefined };
  }
}
