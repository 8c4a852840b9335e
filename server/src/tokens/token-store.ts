import type { Selectable } from 'kysely';
import type { Database, TokenRow } from '../database/database.ts';
import { afterCursor, type Pagination } from '../http/pagination.ts';
import type { TokenRecord } from './token.ts';
import { TokenCache } from './token-cache.ts';
import { findTokenKind, hashTokenString, malformedTokenError } from './token-string.ts';

/** The shelf of API tokens. A token that was found once is checked in memory from then on. */
export class TokenStore {
  readonly #db: Database;
  readonly #cache = new TokenCache();
  /** What happened since the last `flush`, by token id. */
  readonly #pendingLastUsedAt = new Map<string, Date>();
  readonly #pendingSeenInBrowserAt = new Map<string, Date>();

  constructor(db: Database) {
    this.#db = db;
  }

  async add(token: TokenRecord, step: Database = this.#db): Promise<void> {
    await step.insertInto('token').values(toTokenRow(token)).execute();
  }

  /**
   * Finds a token, revoked ones too. What is stored is its hash, so the time a query takes tells
   * nothing of the secret. What cannot be a token costs no query.
   *
   * @throws {Problem} token.malformed
   */
  findByTokenString(secret: string): TokenRecord | undefined | Promise<TokenRecord | undefined> {
    const known = this.#cache.getByTokenString(secret);
    if (known !== undefined) return known;
    if (findTokenKind(secret) === undefined) throw malformedTokenError();
    return this.#findWhere('hash', hashTokenString(secret), secret);
  }

  /** Finds a token by id whoever it belongs to: for grants, which name the token they came from. */
  findById(id: string): TokenRecord | undefined | Promise<TokenRecord | undefined> {
    return this.#cache.getById(id) ?? this.#findWhere('id', id);
  }

  /** Finds one of a user's tokens, with its latest news. */
  async find(user: string, id: string): Promise<TokenRecord | undefined> {
    const token = await this.#findWhere('id', id);
    return token?.user === user ? this.#withPendingUsage(token) : undefined;
  }

  /** Tokens of a user that are not revoked, the newest first. */
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

  async update(token: TokenRecord): Promise<void> {
    const { name, origins, designs, expires_at } = toTokenRow(token);
    await this.#db
      .updateTable('token')
      .set({ name, origins, designs, expires_at })
      .where('id', '=', token.id)
      .execute();
    this.#cache.invalidate(token.id);
  }

  /** Ends a token's life: on this node it is refused from now on. */
  async revoke(id: string, now: Date): Promise<void> {
    await this.#db
      .updateTable('token')
      .set({ revoked_at: now.toISOString() })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .execute();
    this.#cache.invalidate(id);
  }

  recordUse(id: string, now: Date): void {
    this.#pendingLastUsedAt.set(id, now);
  }

  recordBrowserUse(id: string, now: Date): void {
    this.#pendingSeenInBrowserAt.set(id, now);
  }

  /** Writes the news down, in one transaction however many requests there were. */
  async flushUsage(): Promise<void> {
    const used = [...this.#pendingLastUsedAt];
    const seen = [...this.#pendingSeenInBrowserAt];
    if (used.length + seen.length === 0) return;
    this.#pendingLastUsedAt.clear();
    this.#pendingSeenInBrowserAt.clear();
    await this.#db.transaction().execute(async (step) => {
      for (const [id, time] of used) {
        const last_used_at = time.toISOString();
        await step.updateTable('token').set({ last_used_at }).where('id', '=', id).execute();
      }
      for (const [id, time] of seen) {
        const seen_in_browser_at = time.toISOString();
        await step.updateTable('token').set({ seen_in_browser_at }).where('id', '=', id).execute();
      }
    });
  }

  async #findWhere(
    column: 'hash' | 'id',
    value: string,
    secret?: string,
  ): Promise<TokenRecord | undefined> {
    const { version } = this.#cache;
    const row = await this.#db
      .selectFrom('token')
      .selectAll()
      .where(column, '=', value)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const token = toTokenRecord(row);
    this.#cache.set(token, version, secret);
    return token;
  }

  #withPendingUsage(token: TokenRecord): TokenRecord {
    return {
      ...token,
      lastUsedAt: this.#pendingLastUsedAt.get(token.id) ?? token.lastUsedAt,
      seenInBrowserAt: this.#pendingSeenInBrowserAt.get(token.id) ?? token.seenInBrowserAt,
    };
  }
}

export function toTokenRow(token: TokenRecord): TokenRow {
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

function toTokenRecord(row: Selectable<TokenRow>): TokenRecord {
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

function toDate(text: string | null): Date | undefined {
  return text === null ? undefined : new Date(text);
}
