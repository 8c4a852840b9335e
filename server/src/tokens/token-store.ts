import type { Database, TokenRow, Transaction } from '../database/database.ts';
import { afterCursor, type Pagination } from '../http/pagination.ts';
import type { TokenRecord } from './token.ts';
import { TokenCache } from './token-cache.ts';
import { createMalformedTokenError, findTokenKind, hashTokenString } from './token-string.ts';

/** Stores API tokens. Tokens that were looked up are cached. */
export class TokenStore {
  readonly #db: Database;
  readonly #cache = new TokenCache();
  /** Usage since the last `flushUsage`, by token id. */
  readonly #pendingLastUsedAt = new Map<string, Date>();
  readonly #pendingSeenInBrowserAt = new Map<string, Date>();

  constructor(db: Database) {
    this.#db = db;
  }

  async add(token: TokenRecord, trx: Transaction): Promise<void> {
    await trx.insertInto('token').values(toTokenRow(token)).execute();
  }

  /**
   * Finds a token by its token string, even if it was revoked. The database contains hashes only, so
   * the time of a query reveals nothing about a token string.
   *
   * @throws {Problem} token.malformed, without a query
   */
  findByTokenString(tokenString: string): Promise<TokenRecord | undefined> {
    const cached = this.#cache.get(tokenString);
    return cached === undefined ? this.#loadByTokenString(tokenString) : Promise.resolve(cached);
  }

  /** Finds a token by its id, even if it was revoked. */
  findById(id: string): Promise<TokenRecord | undefined> {
    return this.#cache.getOrLoad(id, () => this.#load(id));
  }

  /** Finds a token by its id, with its latest usage. */
  async findWithUsage(id: string): Promise<TokenRecord | undefined> {
    const token = await this.#load(id);
    return token && this.#withPendingUsage(token);
  }

  /** Lists the tokens of a user that are not revoked, newest first. */
  async list(user: string, page: Pagination): Promise<TokenRecord[]> {
    const rows = await this.#db
      .selectFrom('token')
      .selectAll()
      .where('user_id', '=', user)
      .where('revoked_at', 'is', null)
      .where(afterCursor(page))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(page.limit)
      .execute();
    return rows.map((row) => this.#withPendingUsage(toTokenRecord(row)));
  }

  /** Changes name, origins, designs and expiry. */
  async update(token: TokenRecord): Promise<void> {
    const { name, origins, designs, expires_at } = toTokenRow(token);
    await this.#db
      .updateTable('token')
      .set({ name, origins, designs, expires_at })
      .where('id', '=', token.id)
      .execute();
    this.#cache.invalidate(token.id);
  }

  /** Revokes a token. This process rejects it from now on. */
  async revoke(id: string, now: Date): Promise<void> {
    await this.#db
      .updateTable('token')
      .set({ revoked_at: now.toISOString() })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .execute();
    this.#cache.invalidate(id);
  }

  /** Records that a token was used. Written to the database by `flushUsage`. */
  recordUse(id: string, now: Date): void {
    this.#pendingLastUsedAt.set(id, now);
  }

  /** Records that a browser sent a secret token. Written to the database by `flushUsage`. */
  recordBrowserUse(id: string, now: Date): void {
    this.#pendingSeenInBrowserAt.set(id, now);
  }

  /** Writes the recorded usage to the database, in one transaction. */
  async flushUsage(): Promise<void> {
    const used = [...this.#pendingLastUsedAt];
    const seen = [...this.#pendingSeenInBrowserAt];
    if (used.length + seen.length === 0) return;
    this.#pendingLastUsedAt.clear();
    this.#pendingSeenInBrowserAt.clear();
    await this.#db.transaction().execute(async (trx) => {
      for (const [id, time] of used) {
        const last_used_at = time.toISOString();
        await trx.updateTable('token').set({ last_used_at }).where('id', '=', id).execute();
      }
      for (const [id, time] of seen) {
        const seen_in_browser_at = time.toISOString();
        await trx.updateTable('token').set({ seen_in_browser_at }).where('id', '=', id).execute();
      }
    });
  }

  async #loadByTokenString(tokenString: string): Promise<TokenRecord | undefined> {
    if (findTokenKind(tokenString) === undefined) throw createMalformedTokenError();
    const id = await this.#cache.getOrLoadId(tokenString, () => this.#loadId(tokenString));
    return id === undefined ? undefined : this.findById(id);
  }

  async #loadId(tokenString: string): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('token')
      .select('id')
      .where('hash', '=', hashTokenString(tokenString))
      .executeTakeFirst();
    return row?.id;
  }

  async #load(id: string): Promise<TokenRecord | undefined> {
    const row = await this.#db
      .selectFrom('token')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row && toTokenRecord(row);
  }

  #withPendingUsage(token: TokenRecord): TokenRecord {
    return {
      ...token,
      lastUsedAt: this.#pendingLastUsedAt.get(token.id) ?? token.lastUsedAt,
      seenInBrowserAt: this.#pendingSeenInBrowserAt.get(token.id) ?? token.seenInBrowserAt,
    };
  }
}

function toTokenRecord(row: TokenRow): TokenRecord {
  return {
    id: row.id,
    user: row.user_id,
    name: row.name,
    hash: row.hash,
    capabilities: JSON.parse(row.capabilities),
    origins: JSON.parse(row.origins),
    designs: row.designs === null ? undefined : JSON.parse(row.designs),
    createdAt: new Date(row.created_at),
    expiresAt: toDate(row.expires_at),
    revokedAt: toDate(row.revoked_at),
    lastUsedAt: toDate(row.last_used_at),
    seenInBrowserAt: toDate(row.seen_in_browser_at),
  };
}

function toTokenRow(token: TokenRecord): TokenRow {
  return {
    id: token.id,
    user_id: token.user,
    name: token.name,
    hash: token.hash,
    capabilities: JSON.stringify(token.capabilities),
    origins: JSON.stringify(token.origins),
    designs: token.designs === undefined ? null : JSON.stringify(token.designs),
    created_at: token.createdAt.toISOString(),
    expires_at: token.expiresAt?.toISOString() ?? null,
    revoked_at: token.revokedAt?.toISOString() ?? null,
    last_used_at: token.lastUsedAt?.toISOString() ?? null,
    seen_in_browser_at: token.seenInBrowserAt?.toISOString() ?? null,
  };
}

function toDate(text: string | null): Date | undefined {
  return text === null ? undefined : new Date(text);
}
