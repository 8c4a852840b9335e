import assert from 'node:assert/strict';
import { Problem } from '@cloche/contract/problem';
import { type Expression, type SqlBool, sql } from 'kysely';
import type { NamedCaches } from '../cache/cache.ts';
import type { Database, Transaction } from '../database/database.ts';
import { publishEvent } from '../events/publish-event.ts';
import { afterCursor, type ListCursor, type Pagination } from '../http/pagination.ts';
import { isUnreadable, type StoredToken, type TokenRecord, type UnreadableToken } from './token.ts';
import { TokenCache } from './token-cache.ts';
import { type TokenRowWithUser, toStoredToken, toTokenRow } from './token-rows.ts';
import { createMalformedTokenError, findTokenKind, hashTokenString } from './token-string.ts';
import { TokenUsageStore } from './token-usage-store.ts';
import { updateTokenRows } from './update-token-rows.ts';

/** Selects tokens for a list. */
export type TokenFilter = {
  user: string;
  /** Only the tokens with this parent. */
  issuedBy?: string | undefined;
  /** Only the descendants of this token. */
  ancestor?: string | undefined;
  /** Only the tokens for which this is true. */
  isVisible(token: StoredToken): boolean;
};

/** A page of tokens. `next` is undefined at the end of the list. */
export type TokenPage = { tokens: StoredToken[]; next: ListCursor | undefined };

/** How many rows are read for one page, at most. A page may then have fewer tokens than its limit. */
const MAX_SCANNED_ROWS = 2_000;
const MIN_BATCH_ROWS = 100;
/** Number of ids in one statement. */
const MAX_IDS = 500;

/** Stores API tokens. Tokens that were looked up are cached. */
export class TokenStore {
  readonly usage: TokenUsageStore;
  readonly #db: Database;
  readonly #cache: TokenCache;

  /** @param isCacheUsable while it returns false, each token is read from the database */
  constructor(db: Database, isCacheUsable?: () => boolean) {
    this.#db = db;
    this.#cache = new TokenCache({ isUsable: isCacheUsable });
    this.usage = new TokenUsageStore(db);
  }

  /** Its caches, for metrics. */
  get caches(): NamedCaches {
    return this.#cache.caches;
  }

  /**
   * Adds a token. Its parent may have been revoked since it was authenticated: then nothing is added, so
   * that revoking a token with its descendants leaves none of them.
   *
   * @throws {Problem} token.revoked
   */
  async add(token: TokenRecord, trx: Transaction): Promise<void> {
    // Locked, so that it is not revoked before the commit.
    const parent =
      token.issuedBy === undefined
        ? undefined
        : await trx
            .selectFrom('token')
            .select('revoked_at')
            .where('id', '=', token.issuedBy)
            .forShare()
            .executeTakeFirst();
    if (parent !== undefined && parent.revoked_at !== null) throw new Problem('token.revoked');
    await trx.insertInto('token').values(toTokenRow(token)).execute();
  }

  /**
   * Finds a token by its token string, even if it was revoked. The database contains hashes only, so
   * the time of a query reveals nothing about a token string.
   *
   * @throws {Problem} token.malformed, without a query; server.damaged
   */
  findByTokenString(tokenString: string): Promise<TokenRecord | undefined> {
    const cached = this.#cache.get(tokenString);
    return cached === undefined ? this.#loadByTokenString(tokenString) : Promise.resolve(cached);
  }

  /** Finds a token by its id, even if it was revoked. Cached. @throws {Problem} server.damaged */
  findById(id: string): Promise<TokenRecord | undefined> {
    return this.#cache.getOrLoad(id, async () => {
      const token = await this.find(id);
      if (token !== undefined) assertReadable(token);
      return token;
    });
  }

  /** Finds a token by its id as it is stored: even if it was revoked or is damaged. Not cached. */
  async find(id: string, db: Database | Transaction = this.#db): Promise<StoredToken | undefined> {
    const row = await loadRow(db, id);
    return row && toStoredToken(row);
  }

  /** Finds a token as `find` does, and locks it until the end of the transaction. */
  async findForUpdate(id: string, trx: Transaction): Promise<StoredToken | undefined> {
    await trx.selectFrom('token').select('id').where('id', '=', id).forNoKeyUpdate().execute();
    return this.find(id, trx);
  }

  /** Lists tokens that are not revoked, newest first. */
  async list(filter: TokenFilter, page: Pagination): Promise<TokenPage> {
    const { user, issuedBy, ancestor, isVisible } = filter;
    const tokens: StoredToken[] = [];
    const limit = Math.max(page.limit, MIN_BATCH_ROWS);
    let { after } = page;
    for (let scanned = 0; scanned < MAX_SCANNED_ROWS; scanned += limit) {
      const rows = await this.#db
        .selectFrom('token')
        .selectAll()
        .where('user_id', '=', user)
        .where('revoked_at', 'is', null)
        .$if(issuedBy !== undefined, (query) => query.where('issued_by', '=', issuedBy ?? ''))
        .$if(ancestor !== undefined, (query) =>
          query.where('id', 'in', selectDescendantIds(ancestor ?? '')),
        )
        .where(afterCursor({ after }))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      for (const row of rows) {
        after = { createdAt: row.created_at, id: row.id };
        const token = toStoredToken(row);
        if (isVisible(token)) tokens.push(token);
        if (tokens.length === page.limit) return { tokens, next: after };
      }
      if (rows.length < limit) return { tokens, next: undefined };
    }
    return { tokens, next: after };
  }

  /** Finds the descendants of a token, also those of revoked tokens. */
  async findDescendants(id: string, db: Database | Transaction = this.#db): Promise<StoredToken[]> {
    const rows = await db
      .selectFrom('token')
      .selectAll()
      .where('id', 'in', selectDescendantIds(id))
      .execute();
    return rows.map(toStoredToken);
  }

  /** Waits until no other transaction revokes tokens of the users, so that not each revokes what the other keeps. */
  async lockUsers(ids: readonly string[], trx: Transaction): Promise<void> {
    await trx
      .selectFrom('user')
      .select('id')
      .where('id', 'in', ids)
      .orderBy('id')
      .forNoKeyUpdate()
      .execute();
  }

  /** Whether a user has an active token that can create any other: with `write`, and without limits. */
  async hasIssuer(user: string, now: Date, trx: Transaction): Promise<boolean> {
    const row = await trx
      .selectFrom('token')
      .select('id')
      .where('user_id', '=', user)
      .where('revoked_at', 'is', null)
      .where('capabilities', 'like', '%"write"%')
      .where('origins', '=', '[]')
      .where('designs', 'is', null)
      .where(
        ({ or, eb }): Expression<SqlBool> =>
          or([eb('expires_at', 'is', null), eb('expires_at', '>', now.toISOString())]),
      )
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Returns the id of the oldest token of a user that can do everything, without limits and without an end. */
  async findUnlimited(user: string): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('token')
      .select('id')
      .where('user_id', '=', user)
      .where('revoked_at', 'is', null)
      .where('expires_at', 'is', null)
      .where('replaced_by', 'is', null)
      .where('origins', '=', '[]')
      .where('designs', 'is', null)
      .where('capabilities', 'like', '%"read"%')
      .where('capabilities', 'like', '%"write"%')
      .where('capabilities', 'like', '%"embed"%')
      .orderBy('created_at')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    return row?.id;
  }

  /**
   * Changes name, origins, designs, expiry and successor of a token, and returns it with its new version. It must have been
   * read in this transaction, by `findForUpdate`. Call `invalidate` after the commit.
   */
  async update(token: TokenRecord, trx: Transaction): Promise<TokenRecord> {
    const row = toTokenRow(token);
    const { name, origins, designs, expires_at, replaced_by, replaced_at, scope_version } = row;
    const { numUpdatedRows } = await updateTokenRows(trx, [token.id])
      .set({ name, origins, designs, expires_at, replaced_by, replaced_at, scope_version })
      .where('version', '=', token.version)
      .executeTakeFirst();
    assert(numUpdatedRows === 1n, 'The token was not locked when it was read.');
    await publishEvent({ topic: 'token', ids: [token.id] }, trx);
    return { ...token, version: token.version + 1 };
  }

  /**
   * Revokes tokens. This process rejects them once `invalidate` was called, after the commit, and other processes
   * when they have received the event.
   */
  async revoke(ids: readonly string[], now: Date, trx: Transaction): Promise<void> {
    for (let start = 0; start < ids.length; start += MAX_IDS) {
      await updateTokenRows(trx, ids.slice(start, start + MAX_IDS))
        .set({ revoked_at: now.toISOString() })
        .where('revoked_at', 'is', null)
        .execute();
      await publishEvent({ topic: 'token', ids: ids.slice(start, start + MAX_IDS) }, trx);
    }
  }

  /** Removes tokens from the cache. Must be called after the commit of each change. */
  invalidate(ids: readonly string[]): void {
    for (const id of ids) this.#cache.invalidate(id);
  }

  /** Removes all tokens from the cache. */
  invalidateAll(): void {
    this.#cache.invalidateAll();
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
}

/** Selects the ids of the tokens that a token created, directly and indirectly. */
function selectDescendantIds(id: string) {
  return sql<string>`(
    WITH RECURSIVE descendant (id) AS (
      SELECT id FROM token WHERE issued_by = ${id}
      UNION
      SELECT token.id FROM token INNER JOIN descendant ON descendant.id = token.issued_by
    )
    SELECT id FROM descendant)`;
}

/** @throws {Problem} server.damaged */
export function assertReadable(token: StoredToken): asserts token is TokenRecord {
  if (isUnreadable(token)) throw createDamagedError(token);
}

function createDamagedError({ id, damage }: UnreadableToken): Problem {
  return new Problem('server.damaged', {
    detail: `The token ${id} is damaged in the database: ${damage}. It cannot be used. Revoke it with DELETE /v1/tokens/${id}, and create another.`,
  });
}

function loadRow(db: Database | Transaction, id: string): Promise<TokenRowWithUser | undefined> {
  return db
    .selectFrom('token')
    .innerJoin('user', 'user.id', 'token.user_id')
    .selectAll('token')
    .select(['user.operator as user_operator', 'user.disabled_at as user_disabled_at'])
    .where('token.id', '=', id)
    .executeTakeFirst();
}
