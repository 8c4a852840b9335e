import type { UsageDimension } from '@cloche/contract/embed-usage';
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { Cache, type NamedCaches } from '../cache/cache.ts';
import type { Database, EmbedUsageRow, Tables, Transaction } from '../database/database.ts';
import { isPostgres, lockUntilCommit } from '../database/locks.ts';
import { runTransaction } from '../database/transaction.ts';
import {
  type EmbedUsageCount,
  EmbedUsageCounts,
  type EmbedUse,
  isPageOrigin,
  MAX_COUNTED_ORIGINS,
  OTHER_ORIGIN,
  toDay,
} from './embed-usage.ts';

/** Selects and groups the usage of tokens. */
export type EmbedUsageFilter = {
  tokenIds: readonly string[];
  by: readonly UsageDimension[];
  /** The first and the last day. */
  from: string | undefined;
  to: string | undefined;
};

/** The usage of one group. It has the columns that the usage is grouped by. */
export type EmbedUsageGroup = Partial<Pick<EmbedUsageRow, 'origin' | 'day' | 'design_id'>> &
  Pick<EmbedUsageRow, 'views' | 'bytes' | 'first_seen_at' | 'last_seen_at'>;

/** The columns of the dimensions. */
export const USAGE_COLUMNS = { origin: 'origin', day: 'day', design: 'design_id' } as const;

/** Days before this many are deleted. */
const RETENTION_DAYS = 400;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Rows in one statement, with 8 parameters each. */
const MAX_ROWS = 1000;
/** Memory for the origins of tokens that are known without a query: those of some 50,000 tokens with few origins each. */
const MAX_CACHED_BYTES = 32 * 1024 * 1024;
/** Roughly what an entry of a map or a set takes in memory, without its text. */
const ENTRY_BYTES = 100;
const LOCK = 'embed usage: new origins';

/** The id of a token, and origins that it was used on. */
type TokenOrigins = readonly [tokenId: string, origins: ReadonlySet<string>];

/** The stored origins of a token. */
type KnownOrigins = {
  origins: ReadonlySet<string>;
  /** How often old days had been deleted when they were read. */
  deletions: number;
};

/** Counts the views of embeds, and the bytes sent to them: in memory, and in batches in the database. */
export class EmbedUsageStore {
  readonly #db: Database;
  #counts = new EmbedUsageCounts();
  /** The last flush, which may still be running. */
  #flushing: Promise<void> = Promise.resolve();
  /** The stored origins of tokens. There may be more, from other nodes. */
  readonly #knownOrigins = new Cache<KnownOrigins>({
    maxBytes: MAX_CACHED_BYTES,
    sizeOf: toSizeBytes,
  });
  #deletions = 0;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Its caches, for metrics. */
  get caches(): NamedCaches {
    return { pageOrigins: this.#knownOrigins };
  }

  /** Counts a view: a framed document that is sent. */
  recordView(use: EmbedUse, now: Date): void {
    this.#counts.count(use, 1, 0, now);
  }

  /** Counts bytes that were sent to an embed. */
  recordBytes(use: EmbedUse, bytes: number, now: Date): void {
    if (bytes > 0) this.#counts.count(use, 0, bytes, now);
  }

  /** Writes all counts to the database, or none. Then the next flush writes them. */
  async flush(): Promise<void> {
    const flushed = this.#flushing.then(() => this.#flush());
    // Who started the flush gets the error.
    this.#flushing = flushed.catch(() => {});
    await flushed;
  }

  /** Lists the usage of tokens, sorted by the columns that it is grouped by, after the group with these values. */
  async list(
    { tokenIds, by, from, to }: EmbedUsageFilter,
    limit: number,
    after: readonly string[] | undefined,
  ): Promise<EmbedUsageGroup[]> {
    const columns = by.map((dimension) => USAGE_COLUMNS[dimension]);
    let query = this.#db
      .selectFrom('embed_usage')
      .select(columns)
      .select(({ fn }) => [
        sql<number>`cast(sum(views) as bigint)`.as('views'),
        sql<number>`cast(sum(bytes) as bigint)`.as('bytes'),
        fn.min('first_seen_at').as('first_seen_at'),
        fn.max('last_seen_at').as('last_seen_at'),
      ])
      .where(isTokenIn(tokenIds, this.#db))
      .$if(from !== undefined, (query) => query.where('day', '>=', from ?? ''))
      .$if(to !== undefined, (query) => query.where('day', '<=', to ?? ''))
      .$if(after !== undefined, (query) => query.where(isAfter(columns, after ?? [])))
      .groupBy(columns)
      .limit(limit);
    for (const column of columns) query = query.orderBy(column);
    return (await query.execute()) as EmbedUsageGroup[];
  }

  /** Deletes the days that are too old. */
  async deleteOld(now: Date): Promise<void> {
    const first = toDay(new Date(now.getTime() - RETENTION_DAYS * DAY_MS));
    await this.#db.deleteFrom('embed_usage').where('day', '<', first).execute();
    // Some origins may have had no other days, and make room for new ones.
    this.#deletions += 1;
  }

  async #flush(): Promise<void> {
    if (this.#counts.size === 0) return;
    const counts = this.#counts;
    this.#counts = new EmbedUsageCounts();
    try {
      const newOrigins = this.#listNewOrigins(counts.origins);
      const isOneStatement = newOrigins.length === 0 && counts.size <= MAX_ROWS;
      if (isOneStatement) await addRows(this.#db, this.#limitOrigins(counts, new Map()));
      else await this.#flushInTransaction(counts, newOrigins);
    } catch (error) {
      for (const count of counts.list()) this.#counts.add(count);
      throw error;
    }
  }

  async #flushInTransaction(counts: EmbedUsageCounts, newOrigins: readonly TokenOrigins[]) {
    const deletions = this.#deletions;
    const admitted = await runTransaction(this.#db, async (trx) => {
      const origins = await admitOrigins(newOrigins, trx);
      await addRows(trx, this.#limitOrigins(counts, origins));
      return origins;
    });
    for (const [tokenId, origins] of admitted)
      this.#knownOrigins.set(tokenId, { origins, deletions });
  }

  /** Returns the rows to add. The views in pages of origins that are neither known nor admitted count together. */
  #limitOrigins(
    counts: EmbedUsageCounts,
    admitted: ReadonlyMap<string, ReadonlySet<string>>,
  ): EmbedUsageRow[] {
    const limited = new EmbedUsageCounts();
    for (const count of counts.list()) {
      const known = admitted.get(count.tokenId) ?? this.#knownOrigins.get(count.tokenId)?.origins;
      const isCounted = !isPageOrigin(count.origin) || known?.has(count.origin);
      limited.add(isCounted ? count : { ...count, origin: OTHER_ORIGIN });
    }
    return limited.list().map(toRow);
  }

  /** Lists the tokens of which some origins are new, and may be counted separately. */
  #listNewOrigins(used: ReadonlyMap<string, ReadonlySet<string>>): TokenOrigins[] {
    return [...used].filter(([tokenId, origins]) => {
      const known = this.#knownOrigins.get(tokenId);
      return (
        known === undefined || (this.#mayHaveRoom(known) && !origins.isSubsetOf(known.origins))
      );
    });
  }

  #mayHaveRoom({ origins, deletions }: KnownOrigins): boolean {
    return origins.size < MAX_COUNTED_ORIGINS || deletions !== this.#deletions;
  }
}

/** Decides which new origins of tokens are counted separately. Two nodes decide one after the other. */
async function admitOrigins(
  newOrigins: readonly TokenOrigins[],
  trx: Transaction,
): Promise<Map<string, ReadonlySet<string>>> {
  if (newOrigins.length > 0) await lockUntilCommit(trx, LOCK);
  const admitted = new Map<string, ReadonlySet<string>>();
  for (const [tokenId, origins] of newOrigins) {
    const stored = await listOrigins(trx, tokenId);
    const all = new Set([...stored, ...origins]);
    admitted.set(tokenId, new Set([...all].slice(0, Math.max(MAX_COUNTED_ORIGINS, stored.length))));
  }
  return admitted;
}

/** The ids are one parameter: SQLite allows 32,766, PostgreSQL 65,535. */
function isTokenIn(ids: readonly string[], db: Database): Expression<SqlBool> {
  return isPostgres(db)
    ? sql<SqlBool>`token_id = ANY(${ids}::text[])`
    : sql<SqlBool>`token_id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
}

/** Reads one row of the index per origin. `DISTINCT` would read those of all days and designs. */
async function listOrigins(trx: Transaction, tokenId: string): Promise<string[]> {
  const { rows } = await sql<{ origin: string }>`
    WITH RECURSIVE found (origin) AS (
      SELECT min(origin) FROM embed_usage WHERE token_id = ${tokenId}
      UNION ALL
      SELECT (
        SELECT min(origin) FROM embed_usage WHERE token_id = ${tokenId} AND origin > found.origin
      ) FROM found WHERE found.origin IS NOT NULL
    )
    SELECT origin FROM found WHERE origin IS NOT NULL`.execute(trx);
  return rows.map(({ origin }) => origin).filter(isPageOrigin);
}

function toSizeBytes({ origins }: KnownOrigins): number {
  return [...origins].reduce((sum, { length }) => sum + length + ENTRY_BYTES, ENTRY_BYTES);
}

function toRow({ tokenId, designId, ...count }: EmbedUsageCount): EmbedUsageRow {
  const { firstSeenAt, lastSeenAt, ...others } = count;
  return {
    ...others,
    token_id: tokenId,
    design_id: designId,
    first_seen_at: firstSeenAt,
    last_seen_at: lastSeenAt,
  };
}

/** Adds counts to the stored ones. */
async function addRows(db: Database, rows: readonly EmbedUsageRow[]): Promise<void> {
  for (let start = 0; start < rows.length; start += MAX_ROWS) {
    await db
      .insertInto('embed_usage')
      .values(rows.slice(start, start + MAX_ROWS))
      .onConflict((conflict) =>
        conflict.columns(['token_id', 'origin', 'day', 'design_id']).doUpdateSet(({ eb, ref }) => ({
          views: eb('embed_usage.views', '+', ref('excluded.views')),
          bytes: eb('embed_usage.bytes', '+', ref('excluded.bytes')),
          first_seen_at: eb
            .case()
            .when('excluded.first_seen_at', '<', ref('embed_usage.first_seen_at'))
            .then(ref('excluded.first_seen_at'))
            .else(ref('embed_usage.first_seen_at'))
            .end(),
          last_seen_at: eb
            .case()
            .when('excluded.last_seen_at', '>', ref('embed_usage.last_seen_at'))
            .then(ref('excluded.last_seen_at'))
            .else(ref('embed_usage.last_seen_at'))
            .end(),
        })),
      )
      .execute();
  }
}

type UsageColumn = (typeof USAGE_COLUMNS)[UsageDimension];

/** Compares the columns with values, the first column first. */
function isAfter([column, ...others]: readonly UsageColumn[], [value, ...next]: readonly string[]) {
  return (eb: ExpressionBuilder<Tables, 'embed_usage'>): Expression<SqlBool> => {
    if (column === undefined || value === undefined) return eb.lit(false);
    const isLater = eb(column, '>', value);
    return eb.or([isLater, eb.and([eb(column, '=', value), isAfter(others, next)(eb)])]);
  };
}
