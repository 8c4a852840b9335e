import { sql } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';
import { runTransaction } from '../database/transaction.ts';
import { parseDateTime } from '../http/date-time.ts';
import type { TokenRecord } from './token.ts';

/** An origin whose pages used a token. */
export type OriginUse = { origin: string; lastUsedAt: Date };

/** A token, and the origins that used it, latest first; if it was replaced, those that used it since then. */
export type TokenWithUsage = TokenRecord & { usedFrom: readonly OriginUse[] };

/** Maximum number of origins stored for a token. With a wildcard, more may use it: the latest are kept. */
const MAX_USED_ORIGINS = 50;

/** Maximum length of a stored origin. A host name has at most 253 characters. */
const MAX_ORIGIN_LENGTH = 300;

/** Rows in one statement, which has at most 3 parameters for each. */
const MAX_ROWS = 500;

type PendingUse = { lastUsedAt: Date; origins: Map<string, Date> };

/** Records when and where tokens are used: in memory, and in batches in the database. */
export class TokenUsageStore {
  readonly #db: Database;
  /** Usage since the last `flush`, by token id. */
  readonly #pendingUses = new Map<string, PendingUse>();
  readonly #pendingSeenInBrowserAt = new Map<string, Date>();
  /** The last flush, which may still be running. */
  #flushing: Promise<void> | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Records that a token was used, by a page of `origin` if that is known. */
  recordUse(id: string, now: Date, origin?: string): void {
    let use = this.#pendingUses.get(id);
    if (use === undefined) {
      use = { lastUsedAt: now, origins: new Map() };
      this.#pendingUses.set(id, use);
    }
    use.lastUsedAt = now;
    if (origin === undefined || origin.length > MAX_ORIGIN_LENGTH) return;
    // A known origin is moved to the end, so that the first one is the oldest.
    use.origins.delete(origin);
    use.origins.set(origin, now);
    const [oldest] = use.origins.keys();
    if (use.origins.size > MAX_USED_ORIGINS && oldest !== undefined) use.origins.delete(oldest);
  }

  /** Records that a browser sent a secret token. */
  recordBrowserUse(id: string, now: Date): void {
    this.#pendingSeenInBrowserAt.set(id, now);
  }

  /** Writes the recorded usage to the database, in one transaction. */
  async flush(): Promise<void> {
    await this.#waitForFlush();
    this.#flushing = this.#flush();
    await this.#flushing;
  }

  async #flush(): Promise<void> {
    const uses = [...this.#pendingUses];
    const seen = [...this.#pendingSeenInBrowserAt];
    if (uses.length + seen.length === 0) return;
    this.#pendingUses.clear();
    this.#pendingSeenInBrowserAt.clear();
    await runTransaction(this.#db, async (trx) => {
      await lockTokens(
        trx,
        [...uses, ...seen].map(([id]) => id),
      );
      const used = uses.map(([id, { lastUsedAt }]) => [id, lastUsedAt] as const);
      await setLatestTimes(trx, 'last_used_at', used);
      await setLatestTimes(trx, 'seen_in_browser_at', seen);
      await addOrigins(trx, uses);
    });
  }

  async #waitForFlush(): Promise<void> {
    await this.#flushing?.catch(() => {
      // Who started the flush gets the error.
    });
  }

  /** Adds the latest usage to tokens. */
  async addUsage(tokens: readonly TokenRecord[]): Promise<TokenWithUsage[]> {
    // Usage that is being written is no longer pending, and not yet in the database.
    await this.#waitForFlush();
    const stored = await this.#loadOrigins(tokens.map(({ id }) => id));
    return tokens.map((token) => {
      const pending = this.#pendingUses.get(token.id);
      const origins = new Map([...(stored.get(token.id) ?? []), ...(pending?.origins ?? [])]);
      return {
        ...token,
        lastUsedAt: pending?.lastUsedAt ?? token.lastUsedAt,
        seenInBrowserAt: this.#pendingSeenInBrowserAt.get(token.id) ?? token.seenInBrowserAt,
        usedFrom: toUsedFrom(origins, token.replacedAt),
      };
    });
  }

  /** Adds the latest usage to a token. */
  async addUsageTo(token: TokenRecord): Promise<TokenWithUsage> {
    return (await this.addUsage([token]))[0] as TokenWithUsage;
  }

  async #loadOrigins(ids: readonly string[]): Promise<Map<string, [string, Date][]>> {
    const rows =
      ids.length === 0
        ? []
        : await this.#db
            .selectFrom('token_origin')
            .selectAll()
            .where('token_id', 'in', ids)
            .execute();
    const origins = new Map<string, [string, Date][]>();
    for (const { token_id, origin, last_used_at } of rows) {
      const time = parseDateTime(last_used_at);
      const entries = origins.get(token_id) ?? [];
      // A damaged row is skipped: it must not hide the others.
      if (time !== undefined) origins.set(token_id, [...entries, [origin, time]]);
    }
    return origins;
  }
}

/** Locks tokens in the order of their ids, so that two flushes never wait for each other. */
async function lockTokens(trx: Transaction, ids: readonly string[]): Promise<void> {
  for (const batch of toBatches([...new Set(ids)].toSorted())) {
    await trx
      .selectFrom('token')
      .select('id')
      .where('id', 'in', batch)
      .orderBy('id')
      .forNoKeyUpdate()
      .execute();
  }
}

/** Sets a column of tokens. Another process may have written a later time, which stays. */
async function setLatestTimes(
  trx: Transaction,
  column: 'last_used_at' | 'seen_in_browser_at',
  times: readonly (readonly [id: string, time: Date])[],
): Promise<void> {
  for (const batch of toBatches(times)) {
    const rows = batch.map(([id, time]) => sql`(${id}, ${time.toISOString()})`);
    const [stored, target] = [sql.ref(`token.${column}`), sql.ref(column)];
    await sql`WITH latest (id, time) AS (VALUES ${sql.join(rows)})
      UPDATE token SET ${target} = latest.time FROM latest
      WHERE token.id = latest.id AND (${stored} IS NULL OR ${stored} < latest.time)`.execute(trx);
  }
}

/** Writes the origins that used tokens, and deletes all but the latest. */
async function addOrigins(
  trx: Transaction,
  uses: readonly (readonly [id: string, use: PendingUse])[],
): Promise<void> {
  const rows = uses.flatMap(([token_id, { origins }]) =>
    [...origins].map(([origin, time]) => ({ token_id, origin, last_used_at: time.toISOString() })),
  );
  for (const batch of toBatches(rows)) {
    await trx
      .insertInto('token_origin')
      .values([...batch])
      .onConflict((conflict) =>
        conflict
          .columns(['token_id', 'origin'])
          .doUpdateSet(({ ref }) => ({ last_used_at: ref('excluded.last_used_at') }))
          .whereRef('token_origin.last_used_at', '<', 'excluded.last_used_at'),
      )
      .execute();
  }
  for (const [id, { origins }] of uses) if (origins.size > 0) await deleteOldOrigins(trx, id);
}

async function deleteOldOrigins(trx: Transaction, token_id: string): Promise<void> {
  const latest = trx
    .selectFrom('token_origin')
    .select('origin')
    .where('token_id', '=', token_id)
    .orderBy('last_used_at', 'desc')
    .orderBy('origin')
    .limit(MAX_USED_ORIGINS);
  await trx
    .deleteFrom('token_origin')
    .where('token_id', '=', token_id)
    .where('origin', 'not in', latest)
    .execute();
}

function toBatches<T>(items: readonly T[]): (readonly T[])[] {
  const starts = Array.from({ length: Math.ceil(items.length / MAX_ROWS) }, (_, i) => i * MAX_ROWS);
  return starts.map((start) => items.slice(start, start + MAX_ROWS));
}

function toUsedFrom(origins: ReadonlyMap<string, Date>, since: Date | undefined): OriginUse[] {
  return [...origins]
    .map(([origin, lastUsedAt]) => ({ origin, lastUsedAt }))
    .filter(({ lastUsedAt }) => since === undefined || lastUsedAt >= since)
    .sort((a, b) => b.lastUsedAt.getTime() - a.lastUsedAt.getTime())
    .slice(0, MAX_USED_ORIGINS);
}
