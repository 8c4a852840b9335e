import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '@cloche/contract/problem';
import { type KvStore, Upload } from '@tus/server';
import { type Arrival, LIFETIME_MS, type Outcome, type Wish } from './arrival.ts';

/** So many files of one user may be on their way at once. */
const MOST = 100;

/**
 * The shelf of arrivals: in memory, and as two files each, `<id>` with the bytes that are here and
 * `<id>.json` with what is known of them. One process has the folder.
 */
export class Arrivals implements KvStore<Upload> {
  readonly folder: string;
  readonly #known = new Map<string, Arrival>();

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Opens the folder, and throws away what a crash left half made. */
  static async open(folder: string): Promise<Arrivals> {
    const arrivals = new Arrivals(folder);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const names = await readdir(folder);
    for (const name of names.filter((one) => one.endsWith('.json'))) {
      const arrival = await readNote(join(folder, name));
      const isWhole = arrival && (arrival.outcome !== undefined || names.includes(arrival.id));
      if (isWhole) arrivals.#known.set(arrival.id, arrival);
    }
    for (const name of names) {
      const arrival = arrivals.#known.get(name.replace(/\.json$/, ''));
      const isNeeded = arrival && (name.endsWith('.json') || arrival.outcome === undefined);
      if (!isNeeded) await rm(join(folder, name), { recursive: true, force: true });
    }
    return arrivals;
  }

  /**
   * Begins an arrival. Nothing is on the disk before `set`.
   * @throws {Problem} server.busy
   */
  begin(given: { user: string; wish: Wish }, now: Date): Arrival {
    const unfinished = this.all().filter((one) => one.user === given.user && !one.outcome);
    if (unfinished.length >= MOST) {
      throw new Problem('server.busy', {
        detail: `You have ${MOST} uploads that are not finished. Finish or delete some; they go by themselves ${LIFETIME_MS / 3_600_000} hours after they were begun.`,
        retryAfterS: 60,
      });
    }
    const id = randomBytes(16).toString('hex');
    const empty = { sizeBytes: undefined, metadata: undefined, outcome: undefined };
    const arrival = { id, ...given, ...empty, createdAt: now };
    this.#known.set(id, arrival);
    return arrival;
  }

  all(): Arrival[] {
    return [...this.#known.values()];
  }

  find(id: string): Arrival | undefined {
    return this.#known.get(id);
  }

  /** Where the bytes are. */
  pathOf(id: string): string {
    return join(this.folder, id);
  }

  /** How many bytes are here; all of them when it is finished. */
  async offsetOf({ id, outcome, sizeBytes }: Arrival): Promise<number> {
    if (outcome !== undefined) return sizeBytes ?? 0;
    return (await stat(this.pathOf(id))).size;
  }

  /** Notes what became of it, and drops the bytes. */
  async settle(id: string, outcome: Outcome): Promise<void> {
    await this.#change(id, { outcome });
    await rm(this.pathOf(id), { force: true });
  }

  async remove(id: string): Promise<void> {
    this.#known.delete(id);
    await rm(this.pathOf(id), { force: true });
    await rm(this.#noteOf(id), { force: true });
  }

  // What @tus/file-store asks of the place where it keeps what it knows.

  async get(id: string): Promise<Upload | undefined> {
    const arrival = this.#known.get(id);
    return arrival && asUpload(arrival, 0);
  }

  async set(id: string, { size: sizeBytes, metadata }: Upload): Promise<void> {
    await this.#change(id, { sizeBytes, metadata });
  }

  async delete(id: string): Promise<void> {
    await this.remove(id);
  }

  async #change(id: string, change: Partial<Arrival>): Promise<void> {
    const arrival = this.#known.get(id);
    if (arrival === undefined) throw new Problem('upload.unknown');
    const changed = { ...arrival, ...change };
    this.#known.set(id, changed);
    // Renamed, so that a crash leaves the old note or the new one.
    const draft = `${this.#noteOf(id)}.new`;
    await writeFile(draft, JSON.stringify(changed), { mode: 0o600 });
    await rename(draft, this.#noteOf(id));
  }

  #noteOf(id: string): string {
    return join(this.folder, `${id}.json`);
  }
}

/** An arrival as the protocol knows it. */
export function asUpload({ id, sizeBytes, metadata, createdAt }: Arrival, offset: number): Upload {
  return new Upload({
    id,
    offset,
    ...(sizeBytes !== undefined && { size: sizeBytes }),
    ...(metadata !== undefined && { metadata }),
    creation_date: createdAt.toISOString(),
  });
}

async function readNote(path: string): Promise<Arrival | undefined> {
  try {
    const note = JSON.parse(await readFile(path, 'utf8'));
    return { ...note, createdAt: new Date(note.createdAt) };
  } catch {
    // A power cut may leave a note without its bytes. The upload is begun anew.
    return undefined;
  }
}
