import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { Problem } from '@cloche/contract/problem';
import type { FastifyRequest } from 'fastify';
import type { Database } from '../database/database.ts';

/** An answer as it was first given. */
export type StoredResponse = { status: number; location: string | undefined; body: unknown };

/** Who retries what: the caller's token string, the key they chose, and what the request says. */
export type IdempotencyKey = { authorization: string; key: string; fingerprint: string };

const TTL_MS = 24 * 60 * 60 * 1000;
const KEY_PATTERN = /^[\x21-\x7e]{1,200}$/;

/**
 * Answers kept for retries of `POST`s that create, for 24 hours.
 *
 * An answer may hold a token, which nobody but its holder may ever read: it is sealed with a key
 * made from the caller's token and the Idempotency-Key, of which the database has only hashes.
 */
export class IdempotencyStore {
  readonly #db: Database;
  readonly #running = new Set<string>();

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Does `work` once for a key; a retry gets the first answer. `work` must write its rows and call
   * `keep` in the same transaction, so that there is never one without the other.
   *
   * @throws {Problem} idempotency.reused, idempotency.in-progress, request.invalid
   */
  async runOnce(
    retry: IdempotencyKey | undefined,
    now: Date,
    work: (
      keep: (step: Database, answer: StoredResponse) => Promise<void>,
    ) => Promise<StoredResponse>,
  ): Promise<StoredResponse> {
    if (retry === undefined) return work(async () => {});
    const keyHash = sha256(`${retry.authorization} ${retry.key}`);
    if (this.#running.has(keyHash))
      throw new Problem('idempotency.in-progress', { detail: IN_PROGRESS_DETAIL });
    this.#running.add(keyHash);
    try {
      const known = await this.#find(keyHash, retry, now);
      if (known !== undefined) return known;
      return await work((step, answer) => this.#save(step, keyHash, retry, answer, now));
    } finally {
      this.#running.delete(keyHash);
    }
  }

  async deleteExpired(now: Date): Promise<void> {
    await this.#db
      .deleteFrom('idempotency_key')
      .where('created_at', '<', toExpiryCutoff(now))
      .execute();
  }

  async #find(
    keyHash: string,
    retry: IdempotencyKey,
    now: Date,
  ): Promise<StoredResponse | undefined> {
    const row = await this.#db
      .selectFrom('idempotency_key')
      .selectAll()
      .where('key_hash', '=', keyHash)
      .where('created_at', '>=', toExpiryCutoff(now))
      .executeTakeFirst();
    if (row === undefined) return undefined;
    if (row.request_hash !== sha256(retry.fingerprint)) {
      throw new Problem('idempotency.reused', {
        field: 'header.idempotency-key',
        detail: REUSED_DETAIL,
      });
    }
    const body = JSON.parse(decrypt(row.body, retry));
    return { status: row.status, location: row.location ?? undefined, body };
  }

  async #save(
    step: Database,
    keyHash: string,
    retry: IdempotencyKey,
    answer: StoredResponse,
    now: Date,
  ) {
    const row = {
      key_hash: keyHash,
      request_hash: sha256(retry.fingerprint),
      status: answer.status,
      location: answer.location ?? null,
      body: encrypt(JSON.stringify(answer.body), retry),
      created_at: now.toISOString(),
    };
    await step
      .insertInto('idempotency_key')
      .values(row)
      .onConflict((on) => on.column('key_hash').doUpdateSet(row))
      .execute();
  }
}

/**
 * Reads the header `Idempotency-Key`; undefined when none was sent.
 * @throws {Problem} request.invalid
 */
export function parseIdempotencyKey(
  { headers }: FastifyRequest,
  fingerprint: string,
): IdempotencyKey | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && KEY_PATTERN.test(key)) {
    return { authorization: headers.authorization ?? '', key, fingerprint };
  }
  throw new Problem('request.invalid', {
    field: 'header.idempotency-key',
    detail: 'header.idempotency-key: must be 1 to 200 visible ASCII characters, such as a UUID.',
  });
}

const IN_PROGRESS_DETAIL =
  'The first request with this Idempotency-Key has not been answered yet. Ask again in a moment.';
const REUSED_DETAIL =
  'This Idempotency-Key came with another request before. Use a new key for a new request.';

const toExpiryCutoff = (now: Date) => new Date(now.getTime() - TTL_MS).toISOString();
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function deriveKey({ authorization, key }: IdempotencyKey): Buffer {
  return Buffer.from(hkdfSync('sha256', authorization, key, 'cloche answer', 32));
}

function encrypt(text: string, retry: IdempotencyKey): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', deriveKey(retry), nonce);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
}

function decrypt(sealed: string, retry: IdempotencyKey): string {
  const bytes = Buffer.from(sealed, 'base64');
  const cipher = createDecipheriv('aes-256-gcm', deriveKey(retry), bytes.subarray(0, 12));
  cipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([cipher.update(bytes.subarray(28)), cipher.final()]).toString('utf8');
}
