import { Cache, type NamedCaches } from '../cache/cache.ts';
import type { Database, SessionRow, Transaction } from '../database/database.ts';
import { runTransaction } from '../database/transaction.ts';
import { publishEvent } from '../events/publish-event.ts';
import { afterCursor, type ListCursor, type Pagination } from '../http/pagination.ts';
import { generateSecret, hashSecret, isCurrent, type SessionRecord } from './session.ts';
import { hashTokenString } from './token-string.ts';

/** Cache size, in sessions. */
const MAX_CACHED_SESSIONS = 10_000;
/** The time of the last request is stored this often. */
const TOUCH_INTERVAL_MS = 60 * 1000;
/** More sessions of a token replace the oldest ones. */
const MAX_SESSIONS = 100;
export const LINK_TTL_MS = 10 * 60 * 1000;

/** Stores the sessions of browsers, and the one-time links that start them. Sessions in use are cached. */
export class SessionStore {
  readonly #db: Database;
  readonly #cache: Cache<SessionRecord>;

  /** @param isCacheUsable while it returns false, each session is read from the database */
  constructor(db: Database, isCacheUsable?: () => boolean) {
    this.#db = db;
    this.#cache = new Cache({ maxEntries: MAX_CACHED_SESSIONS, isUsable: isCacheUsable });
  }

  /** Its caches, for metrics. */
  get caches(): NamedCaches {
    return { sessions: this.#cache };
  }

  /** Adds a session. Deletes those of its token that have ended, and the oldest if there are too many. */
  async add(session: SessionRecord, trx: Transaction): Promise<void> {
    const { tokenId, createdAt: now } = session;
    const rows = await trx
      .selectFrom('session')
      .selectAll()
      .where('token_id', '=', tokenId)
      .orderBy('created_at', 'desc')
      .execute();
    const isKept = (row: SessionRow, index: number) =>
      index < MAX_SESSIONS - 1 && isCurrent(toSession(row), now);
    await this.#delete(
      rows.filter((row, index) => !isKept(row, index)).map(({ id }) => id),
      trx,
    );
    await trx.insertInto('session').values(toRow(session)).execute();
  }

  /** Finds a session by its secret. It may have ended. */
  async findBySecret(secret: string, now: Date): Promise<SessionRecord | undefined> {
    const hash = hashSecret(secret);
    return hash === undefined ? undefined : this.findByHash(hash, now);
  }

  /** Finds a session by the hash of its secret. It may have ended. */
  async findByHash(hash: string, now: Date): Promise<SessionRecord | undefined> {
    const session = await this.#findByHash(hash);
    if (session === undefined || isCurrent(session, now)) return session;
    // Other nodes do not tell when they have recorded its use.
    this.#cache.invalidate(hash);
    return this.#findByHash(hash);
  }

  #findByHash(hash: string): Promise<SessionRecord | undefined> {
    return this.#cache.getOrLoad(hash, async () => {
      const row = await this.#db
        .selectFrom('session')
        .selectAll()
        .where('hash', '=', hash)
        .executeTakeFirst();
      return row && toSession(row);
    });
  }

  async find(id: string): Promise<SessionRecord | undefined> {
    const row = await this.#db
      .selectFrom('session')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row && toSession(row);
  }

  /** Records a request of a session, in the database once a minute. */
  async recordUse(session: SessionRecord, now: Date): Promise<void> {
    if (now.getTime() - session.lastUsedAt.getTime() < TOUCH_INTERVAL_MS) return;
    // In the cached record too: only one of several requests at the same time writes.
    session.lastUsedAt = now;
    await this.#db
      .updateTable('session')
      .set({ last_used_at: now.toISOString() })
      .where('id', '=', session.id)
      .execute();
  }

  /** Lists the sessions of the tokens of a user, newest first. Some may have ended. */
  async list(user: string, page: Pagination) {
    const rows = await this.#db
      .selectFrom('session')
      .selectAll()
      .where('token_id', 'in', (query) =>
        query.selectFrom('token').select('id').where('user_id', '=', user),
      )
      .where(afterCursor(page))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(page.limit + 1)
      .execute();
    const last = rows.length > page.limit ? rows[page.limit - 1] : undefined;
    const next: ListCursor | undefined = last && { createdAt: last.created_at, id: last.id };
    return { sessions: rows.slice(0, page.limit).map(toSession), next };
  }

  /** Ends sessions: on this node at once, on others when they have received the event. */
  async revoke(ids: readonly string[]): Promise<void> {
    await runTransaction(this.#db, (trx) => this.#delete(ids, trx));
    this.invalidateAll();
  }

  /** Creates a one-time link for a token, and returns its secret part. It is valid for ten minutes. */
  async addLink(tokenId: string, now: Date): Promise<string> {
    const secret = generateSecret();
    await runTransaction(this.#db, (trx) => this.addLinkWithSecret(tokenId, secret, now, trx));
    return secret;
  }

  /** Creates a one-time link with a secret that was generated before. */
  async addLinkWithSecret(
    tokenId: string,
    secret: string,
    now: Date,
    trx: Transaction,
  ): Promise<void> {
    const expires_at = new Date(now.getTime() + LINK_TTL_MS).toISOString();
    await trx.deleteFrom('sign_in_link').where('expires_at', '<=', now.toISOString()).execute();
    const link = { hash: hashTokenString(secret), token_id: tokenId, expires_at };
    await trx.insertInto('sign_in_link').values(link).execute();
  }

  /** Returns the id of the token of a link, or undefined if it does not exist, was used or has expired. */
  async findTokenOfLink(secret: string, now: Date): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('sign_in_link')
      .select('token_id')
      .where('hash', '=', hashSecret(secret) ?? '')
      .where('expires_at', '>', now.toISOString())
      .executeTakeFirst();
    return row?.token_id;
  }

  /** Uses a link. Returns false if it was used or has expired. */
  async useLink(secret: string, now: Date, trx: Transaction): Promise<boolean> {
    const { numDeletedRows } = await trx
      .deleteFrom('sign_in_link')
      .where('hash', '=', hashSecret(secret) ?? '')
      .where('expires_at', '>', now.toISOString())
      .executeTakeFirst();
    return numDeletedRows === 1n;
  }

  /** Removes all sessions from the cache. */
  invalidateAll(): void {
    this.#cache.clear();
  }

  async #delete(ids: readonly string[], trx: Transaction): Promise<void> {
    if (ids.length === 0) return;
    await trx.deleteFrom('session').where('id', 'in', ids).execute();
    await publishEvent({ topic: 'session' }, trx);
  }
}

function toRow(session: SessionRecord): SessionRow {
  return {
    id: session.id,
    hash: session.hash,
    token_id: session.tokenId,
    user_agent: session.userAgent,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
  };
}

function toSession(row: SessionRow): SessionRecord {
  return {
    id: row.id,
    hash: row.hash,
    tokenId: row.token_id,
    userAgent: row.user_agent,
    createdAt: new Date(row.created_at),
    lastUsedAt: new Date(row.last_used_at),
    expiresAt: new Date(row.expires_at),
  };
}
