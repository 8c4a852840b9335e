import type { Database, Transaction } from '../database/database.ts';
import { parseDateTime } from '../http/date-time.ts';
import type { TokenRecord } from './token.ts';

/** An origin whose pages used a token. */
export type OriginUse = { origin: string; lastUsedAt: Date };

/** A token, and the origins that used it, latest first; if it was replaced, those that used it since then. */
export type TokenWithUsage = TokenRecord & { usedFrom: readonly OriginUse[] };

/** Maximum number of origins stored for a token. With a wildcard, more may use it: the latest are kept. */
export const MAX_USED_ORIGINS = 50;

/** Maximum length of a stored origin. A host name has at most 253 characters. */
const MAX_ORIGIN_LENGTH = 300;

type PendingUse = { lastUsedAt: Date; origins: Map<string, Date> };

/** Records when and where tokens are used: in memory, and in batches in the database. */
export class TokenUsageStore {
  readonly #db: Database;
  /** Usage since the last `flush`, by token id. */
  readonly #pendingUses = new Map<string, PendingUse>();
  readonly #pendingSeenInBrowserAt = new Map<string, Date>();

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
    const uses = [...this.#pendingUses];
    const seen = [...this.#pendingSeenInBrowserAt];
    if (uses.length + seen.length === 0) return;
    this.#pendingUses.clear();
    this.#pendingSeenInBrowserAt.clear();
    await this.#db.transaction().execute(async (trx) => {
      for (const [id, { lastUsedAt, origins }] of uses) {
        const last_used_at = lastUsedAt.toISOString();
        await trx.updateTable('token').set({ last_used_at }).where('id', '=', id).execute();
        await addOrigins(trx, id, origins);
      }
      for (const [id, time] of seen) {
        const seen_in_browser_at = time.toISOString();
        await trx.updateTable('token').set({ seen_in_browser_at }).where('id', '=', id).execute();
      }
    });
  }

  /** Adds the latest usage to tokens. */
  async addUsage(tokens: readonly TokenRecord[]): Promise<TokenWithUsage[]> {
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

/** Writes the origins that used a token, and deletes all but the latest. */
async function addOrigins(
  trx: Transaction,
  token_id: string,
  origins: ReadonlyMap<string, Date>,
): Promise<void> {
  if (origins.size === 0) return;
  for (const [origin, time] of origins) {
    const last_used_at = time.toISOString();
    await trx
      .insertInto('token_origin')
      .values({ token_id, origin, last_used_at })
      .onConflict((conflict) =>
        conflict.columns(['token_id', 'origin']).doUpdateSet({ last_used_at }),
      )
      .execute();
  }
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

function toUsedFrom(origins: ReadonlyMap<string, Date>, since: Date | undefined): OriginUse[] {
  return [...origins]
    .map(([origin, lastUsedAt]) => ({ origin, lastUsedAt }))
    .filter(({ lastUsedAt }) => since === undefined || lastUsedAt >= since)
    .sort((a, b) => b.lastUsedAt.getTime() - a.lastUsedAt.getTime())
    .slice(0, MAX_USED_ORIGINS);
}
