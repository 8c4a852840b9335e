import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '@cloche/contract/problem';
import { type KvStore, Upload } from '@tus/server';
import {
  type TusUpload,
  UPLOAD_LIFETIME_MS,
  type UploadMetadata,
  type UploadResult,
} from './tus-upload.ts';

/** So many files of one user may be on their way at once. */
const MAX_UNFINISHED_PER_USER = 100;

/**
 * The shelf of arrivals: in memory, and as two files each, `<id>` with the bytes that are here and
 * `<id>.json` with what is known of them. One process has the folder.
 */
export class TusUploadStore implements KvStore<Upload> {
  readonly directory: string;
  readonly #uploads = new Map<string, TusUpload>();

  private constructor(folder: string) {
    this.directory = folder;
  }

  /** Opens the folder, and throws away what a crash left half made. */
  static async open(folder: string): Promise<TusUploadStore> {
    const arrivals = new TusUploadStore(folder);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const names = await readdir(folder);
    for (const name of names.filter((one) => one.endsWith('.json'))) {
      const arrival = await readMetadataFile(join(folder, name));
      const isWhole = arrival && (arrival.result !== undefined || names.includes(arrival.id));
      if (isWhole) arrivals.#uploads.set(arrival.id, arrival);
    }
    for (const name of names) {
      const arrival = arrivals.#uploads.get(name.replace(/\.json$/, ''));
      const isNeeded = arrival && (name.endsWith('.json') || arrival.result === undefined);
      if (!isNeeded) await rm(join(folder, name), { recursive: true, force: true });
    }
    return arrivals;
  }

  /**
   * Begins an arrival. Nothing is on the disk before `set`.
   * @throws {Problem} server.busy
   */
  create(given: { user: string; parsedMetadata: UploadMetadata }, now: Date): TusUpload {
    const unfinished = this.listAll().filter((one) => one.user === given.user && !one.result);
    if (unfinished.length >= MAX_UNFINISHED_PER_USER) {
      throw new Problem('server.busy', {
        detail: `You have ${MAX_UNFINISHED_PER_USER} uploads that are not finished. Finish or delete some; they go by themselves ${UPLOAD_LIFETIME_MS / 3_600_000} hours after they were begun.`,
        retryAfterSeconds: 60,
      });
    }
    const id = randomBytes(16).toString('hex');
    const empty = { sizeBytes: undefined, metadata: undefined, result: undefined };
    const arrival = { id, ...given, ...empty, createdAt: now };
    this.#uploads.set(id, arrival);
    return arrival;
  }

  listAll(): TusUpload[] {
    return [...this.#uploads.values()];
  }

  find(id: string): TusUpload | undefined {
    return this.#uploads.get(id);
  }

  /** Where the bytes are. */
  dataPath(id: string): string {
    return join(this.directory, id);
  }

  /** How many bytes are here; all of them when it is finished. */
  async getOffset({ id, result, sizeBytes }: TusUpload): Promise<number> {
    if (result !== undefined) return sizeBytes ?? 0;
    return (await stat(this.dataPath(id))).size;
  }

  /** Notes what became of it, and drops the bytes. */
  async complete(id: string, result: UploadResult): Promise<void> {
    await this.#update(id, { result });
    await rm(this.dataPath(id), { force: true });
  }

  async remove(id: string): Promise<void> {
    this.#uploads.delete(id);
    await rm(this.dataPath(id), { force: true });
    await rm(this.#metadataPath(id), { force: true });
  }

  // What @tus/file-store asks of the place where it keeps what it knows.

  async get(id: string): Promise<Upload | undefined> {
    const arrival = this.#uploads.get(id);
    return arrival && toTusServerUpload(arrival, 0);
  }

  async set(id: string, { size: sizeBytes, metadata }: Upload): Promise<void> {
    await this.#update(id, { sizeBytes, metadata });
  }

  async delete(id: string): Promise<void> {
    await this.remove(id);
  }

  async #update(id: string, change: Partial<TusUpload>): Promise<void> {
    const arrival = this.#uploads.get(id);
    if (arrival === undefined) throw new Problem('upload.unknown');
    const changed = { ...arrival, ...change };
    this.#uploads.set(id, changed);
    // Renamed, so that a crash leaves the old note or the new one.
    const draft = `${this.#metadataPath(id)}.new`;
    await writeFile(draft, JSON.stringify(changed), { mode: 0o600 });
    await rename(draft, this.#metadataPath(id));
  }

  #metadataPath(id: string): string {
    return join(this.directory, `${id}.json`);
  }
}

/** An arrival as the protocol knows it. */
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

async function readMetadataFile(path: string): Promise<TusUpload | undefined> {
  try {
    const note = JSON.parse(await readFile(path, 'utf8'));
    return { ...note, createdAt: new Date(note.createdAt) };
  } catch {
    // A power cut may leave a note without its bytes. The upload is begun anew.
    return undefined;
  }
}
