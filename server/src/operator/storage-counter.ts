import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../database/database.ts';

export type FileCount = { files: number; bytes: number };

/** What the rows of all users list. */
export type StorageCounts = {
  countedAt: Date;
  designs: number;
  revisions: number;
  sources: FileCount;
  artifacts: FileCount;
  uploads: FileCount;
  /** The bytes of source files of each user that has any, by its id. */
  bytesByUser: ReadonlyMap<string, number>;
};

const MAX_AGE_MS = 60_000;
/** SQLite blocks the service while it counts so many: 60 ms on a busy machine, where 100,000 take 4 s in all (November 2026). */
const REVISIONS_PER_QUERY = 500;

/** Counts what is stored: once a minute at most, and in small steps, because no index has the sums. */
export class StorageCounter {
  readonly #database: Database;
  readonly #now: () => Date;
  #counting: Promise<StorageCounts> | undefined;
  #startedAtMs = 0;

  constructor(database: Database, now: () => Date) {
    this.#database = database;
    this.#now = now;
  }

  /** Returns the numbers of the last minute. */
  getCounts(): Promise<StorageCounts> {
    const nowMs = this.#now().getTime();
    if (this.#counting !== undefined && nowMs - this.#startedAtMs < MAX_AGE_MS)
      return this.#counting;
    this.#startedAtMs = nowMs;
    const counting = this.#count();
    this.#counting = counting;
    counting.catch(() => {
      // The caller receives the error. The next one counts again.
      if (this.#counting === counting) this.#counting = undefined;
    });
    return counting;
  }

  async #count(): Promise<StorageCounts> {
    const countedAt = this.#now();
    const bytesByUser = new Map<string, number>();
    const sources = { files: 0, bytes: 0 };
    const artifacts = { files: 0, bytes: 0 };
    for (let after = ''; ; ) {
      const users = await this.#countSources(after);
      const last = users.map(({ last }) => last).reduce((a, b) => (a > b ? a : b), '');
      if (last === '') break;
      for (const { user_id: userId, files, bytes } of users) {
        add(sources, { files, bytes });
        bytesByUser.set(userId, (bytesByUser.get(userId) ?? 0) + Number(bytes));
      }
      await nextTurn();
      add(artifacts, await this.#countArtifacts(after, last));
      await nextTurn();
      after = last;
    }
    const [designs, uploads] = [await this.#countDesigns(), await this.#countUploads()];
    return {
      countedAt,
      designs,
      revisions: sources.files,
      sources,
      artifacts,
      uploads,
      bytesByUser,
    };
  }

  #countSources(after: string) {
    const page = this.#database
      .selectFrom('revision')
      .select(['id', 'design_id', 'source_size_bytes'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(REVISIONS_PER_QUERY)
      .as('page');
    return this.#database
      .selectFrom(page)
      .innerJoin('design', 'design.id', 'page.design_id')
      .groupBy('design.user_id')
      .select(({ fn }) => [
        'design.user_id',
        fn.countAll().as('files'),
        fn.sum('page.source_size_bytes').as('bytes'),
        fn.max('page.id').as('last'),
      ])
      .execute();
  }

  /** Counts the artifacts of the revisions after one id, up to another. */
  #countArtifacts(after: string, last: string) {
    return this.#database
      .selectFrom('artifact')
      .where('revision_id', '>', after)
      .where('revision_id', '<=', last)
      .select(({ fn, eb }) => [
        eb(fn.countAll(), '+', fn.count('brotli_blob')).as('files'),
        eb(
          fn.coalesce(fn.sum('size_bytes'), eb.lit(0)),
          '+',
          fn.coalesce(fn.sum('brotli_size_bytes'), eb.lit(0)),
        ).as('bytes'),
      ])
      .executeTakeFirstOrThrow();
  }

  async #countDesigns(): Promise<number> {
    const { count } = await this.#database
      .selectFrom('design')
      .select(({ fn }) => fn.countAll().as('count'))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async #countUploads(): Promise<FileCount> {
    const { files, bytes } = await this.#database
      .selectFrom('upload')
      .where('result', 'is', null)
      .select(({ fn }) => [fn.countAll().as('files'), fn.sum('offset_bytes').as('bytes')])
      .executeTakeFirstOrThrow();
    return { files: Number(files), bytes: Number(bytes) };
  }
}

/** PostgreSQL returns counts and sums as text. */
function add(total: FileCount, { files, bytes }: { files: unknown; bytes: unknown }): void {
  total.files += Number(files);
  total.bytes += Number(bytes);
}
