import type { Selectable } from 'kysely';
import type { Database, TokenRow } from '../database/database.ts';
import { before, type Page } from '../http/list.ts';
import { KnownTokens } from './known.ts';
import type { Token } from './token.ts';
import { hashOf, kindOf, malformed } from './token-string.ts';

/** The shelf of API tokens. A token that was found once is checked in memory from then on. */
export class Tokens {
  readonly #db: Database;
  readonly #known = new KnownTokens();
  /** What happened since the last `flush`, by token id. */
  readonly #lastUsed = new Map<string, Date>();
  readonly #seenInBrowser = new Map<string, Date>();

  constructor(db: Database) {
    this.#db = db;
  }

  async add(token: Token, step: Database = this.#db): Promise<void> {
    await step.insertInto('token').values(toRow(token)).execute();
  }

  /**
   * Finds a token, revoked ones too. What is stored is its hash, so the time a query takes tells
   * nothing of the secret. What cannot be a token costs no query.
   *
   * @throws {Problem} token.malformed
   */
  findBySecret(secret: string): Token | undefined | Promise<Token | undefined> {
    const known = this.#known.byText(secret);
    if (known !== undefined) return known;
    if (kindOf(secret) === undefined) throw malformed();
    return this.#findWhere('hash', hashOf(secret), secret);
  }

  /** Finds a token by id whoever it belongs to: for grants, which name the token they came from. */
  findById(id: string): Token | undefined | Promise<Token | undefined> {
    return this.#known.byId(id) ?? this.#findWhere('id', id);
  }

  /** Finds one of a user's tokens, with its latest news. */
  async find(user: string, id: string): Promise<Token | undefined> {
    const token = await this.#findWhere('id', id);
    return token?.user === user ? this.#withNews(token) : undefined;
  }

  /** Tokens of a user that are not revoked, the newest first. */
  async list(user: string, page: Page): Promise<Token[]> {
    const rows = await this.#db
      .selectFrom('token')
      .selectAll()
      .where('user_id', '=', user)
      .where('revoked_at', 'is', null)
      .where(before(page))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(page.limit)
      .execute();
    return rows.map((row) => this.#withNews(fromRow(row)));
  }

  async change(token: Token): Promise<void> {
    const { name, origins, designs, expires_at } = toRow(token);
    await this.#db
      .updateTable('token')
      .set({ name, origins, designs, expires_at })
      .where('id', '=', token.id)
      .execute();
    this.#known.forget(token.id);
  }

  /** Ends a token's life: on this node it is refused from now on. */
  async revoke(id: string, now: Date): Promise<void> {
    await this.#db
      .updateTable('token')
      .set({ revoked_at: now.toISOString() })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .execute();
    this.#known.forget(id);
  }

  noteUse(id: string, now: Date): void {
    this.#lastUsed.set(id, now);
  }

  noteBrowser(id: string, now: Date): void {
    this.#seenInBrowser.set(id, now);
  }

  /** Writes the news down, in one transaction however many requests there were. */
  async flush(): Promise<void> {
    const used = [...this.#lastUsed];
    const seen = [...this.#seenInBrowser];
    if (used.length + seen.length === 0) return;
    this.#lastUsed.clear();
    this.#seenInBrowser.clear();
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
  ): Promise<Token | undefined> {
    const { epoch } = this.#known;
    const row = await this.#db
      .selectFrom('token')
      .selectAll()
      .where(column, '=', value)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const token = fromRow(row);
    this.#known.remember(token, epoch, secret);
    return token;
  }

  #withNews(token: Token): Token {
    return {
      ...token,
      lastUsedAt: this.#lastUsed.get(token.id) ?? token.lastUsedAt,
      seenInBrowserAt: this.#seenInBrowser.get(token.id) ?? token.seenInBrowserAt,
    };
  }
}

export function toRow(token: Token): TokenRow {
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

function fromRow(row: Selectable<TokenRow>): Token {
  return {
    id: row.id,
    user: row.user_id,
    name: row.name,
    hash: row.hash,
    capabilities: JSON.parse(row.capabilities),
    origins: JSON.parse(row.origins),
    designs: row.designs === null ? undefined : JSON.parse(row.designs),
    createdAt: new Date(row.created_at),
    expiresAt: asDate(row.expires_at),
    revokedAt: asDate(row.revoked_at),
    lastUsedAt: asDate(row.last_used_at),
    seenInBrowserAt: asDate(row.seen_in_browser_at),
  };
}

function asDate(text: string | null): Date | undefined {
  return text === null ? undefined : new Date(text);
}
