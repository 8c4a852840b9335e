import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { Problem } from '@cloche/contract/problem';
import type { TSchema } from 'typebox';
import type { Database, IdempotencyKeyRow, Transaction } from '../database/database.ts';
import { assertResponse } from './assert-response.ts';

/** The first response to a request with an Idempotency-Key. */
export type StoredResponse = {
  status: number;
  location: string | undefined;
  etag?: string | undefined;
  body: unknown;
};

/** The caller's Idempotency-Key, and its Authorization header or the secret of its session. */
type CallerKey = { credential: string; key: string };

/** With a text that identifies the request. */
type IdempotencyKey = CallerKey & { fingerprint: string };

/** A request that may be repeated with its key, and the schema of its response. */
type IdempotentRequest = { key: IdempotencyKey | undefined; now: Date; responseSchema: TSchema };

/** Checks and stores the response, in the transaction that writes the rows it describes. */
export type SaveResponse = (
  trx: Transaction | undefined,
  response: StoredResponse,
) => Promise<void>;

const TTL_MS = 24 * 60 * 60 * 1000;

/**
 * Stores responses to requests with an Idempotency-Key for 24 hours, for retries.
 *
 * A response may contain a token string, so it is encrypted with a key derived from the caller's token
 * string and the Idempotency-Key. The database contains only hashes of these two.
 */
export class IdempotencyStore {
  readonly #db: Database;
  readonly #running = new Set<string>();

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Runs `operation` once per key; a retry gets the first response. `operation` must call `save` in the
   * transaction that writes its rows, also without a key: the response is stored if and only if they
   * are, and rows whose response does not match `responseSchema` are rolled back.
   *
   * @throws {Problem} idempotency.reused, idempotency.in-progress, request.invalid
   */
  async runOnce(
    { key, now, responseSchema }: IdempotentRequest,
    operation: (save: SaveResponse) => Promise<StoredResponse>,
  ): Promise<StoredResponse> {
    if (key === undefined) {
      return operation(async (_trx, { body }) => assertResponse(responseSchema, body));
    }
    const keyHash = hashIdempotencyKey(key);
    if (this.#running.has(keyHash)) throw createInProgressError();
    this.#running.add(keyHash);
    try {
      const stored = await this.#find(keyHash, key, now);
      if (stored !== undefined) return stored;
      return await operation(async (trx, response) => {
        assertResponse(responseSchema, response.body);
        await this.#claim(trx, keyHash, key, response, now);
      }).catch((error: unknown) => this.#recover(error, keyHash, key, now));
    } finally {
      this.#running.delete(keyHash);
    }
  }

  /**
   * Returns the first response, if another process has handled the first request in the meantime. The operation may have failed
   * because of that before it claimed the key: an external id is in use, a version is no longer current, a quota is used up.
   *
   * @throws the error, if there is no first response
   */
  async #recover(
    error: unknown,
    keyHash: string,
    key: IdempotencyKey,
    now: Date,
  ): Promise<StoredResponse> {
    const isClaimed = error instanceof KeyClaimedError;
    if (!isClaimed && !(error instanceof Problem)) throw error;
    const first = await this.#find(keyHash, key, now);
    if (first !== undefined) return first;
    throw isClaimed ? createInProgressError() : error;
  }

  /** Whether a request with this key has a response, or is running. */
  async hasResponse(key: CallerKey, now: Date): Promise<boolean> {
    const keyHash = hashIdempotencyKey(key);
    return this.#running.has(keyHash) || (await this.#findRow(keyHash, now)) !== undefined;
  }

  /** Deletes responses that are older than 24 hours. */
  async deleteExpired(now: Date): Promise<void> {
    await this.#db
      .deleteFrom('idempotency_key')
      .where('created_at', '<', toExpiryCutoff(now))
      .execute();
  }

  async #find(
    keyHash: string,
    key: IdempotencyKey,
    now: Date,
  ): Promise<StoredResponse | undefined> {
    const row = await this.#findRow(keyHash, now);
    if (row === undefined) return undefined;
    if (row.request_hash !== sha256(key.fingerprint)) throw createKeyReusedError();
    const body = JSON.parse(decrypt(row.body, key));
    const { status, location, etag } = row;
    return { status, location: location ?? undefined, etag: etag ?? undefined, body };
  }

  #findRow(keyHash: string, now: Date): Promise<IdempotencyKeyRow | undefined> {
    return this.#db
      .selectFrom('idempotency_key')
      .selectAll()
      .where('key_hash', '=', keyHash)
      .where('created_at', '>=', toExpiryCutoff(now))
      .executeTakeFirst();
  }

  /**
   * Claims the key with a row that has the response. If another process has claimed it since it was looked up,
   * waits for the end of its transaction.
   *
   * @throws {KeyClaimedError} rolls back the transaction, so that only the first request has an effect
   */
  async #claim(
    trx: Transaction | undefined,
    keyHash: string,
    key: IdempotencyKey,
    response: StoredResponse,
    now: Date,
  ) {
    const row = {
      key_hash: keyHash,
      request_hash: sha256(key.fingerprint),
      status: response.status,
      location: response.location ?? null,
      etag: response.etag ?? null,
      body: encrypt(JSON.stringify(response.body), key),
      created_at: now.toISOString(),
    };
    const { numInsertedOrUpdatedRows } = await (trx ?? this.#db)
      .insertInto('idempotency_key')
      .values(row)
      .onConflict((conflict) =>
        conflict
          .column('key_hash')
          .doUpdateSet(row)
          .where('idempotency_key.created_at', '<', toExpiryCutoff(now)),
      )
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows === 0n) throw new KeyClaimedError();
  }
}

/** Another process has handled the first request with the key in the meantime. */
class KeyClaimedError extends Error {}

/** Creates the problem of a key that was sent with another request. */
export function createKeyReusedError(): Problem {
  return new Problem('idempotency.reused', {
    field: 'header.idempotency-key',
    detail:
      'This Idempotency-Key was sent with another request before. Use a new key for each new request.',
  });
}

/** Creates the problem of a key whose first request has not ended. */
export function createInProgressError(): Problem {
  return new Problem('idempotency.in-progress', {
    detail: 'The first request with this Idempotency-Key is still running. Try again in a moment.',
    retryAfterSeconds: 1,
  });
}

const toExpiryCutoff = (now: Date) => new Date(now.getTime() - TTL_MS).toISOString();

/** Returns the hash with which a key is stored. Another caller with the same key has another hash. */
export function hashIdempotencyKey({ credential, key }: CallerKey): string {
  return sha256(`${credential} ${key}`);
}

/** Returns the SHA-256 of a text, in hexadecimal. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

// Changing the HKDF info text would make the responses of the last 24 hours unreadable.
function deriveKey({ credential, key }: IdempotencyKey): Buffer {
  return Buffer.from(hkdfSync('sha256', credential, key, 'cloche answer', 32));
}

function encrypt(text: string, key: IdempotencyKey): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', deriveKey(key), nonce);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
}

function decrypt(encrypted: string, key: IdempotencyKey): string {
  const bytes = Buffer.from(encrypted, 'base64');
  const cipher = createDecipheriv('aes-256-gcm', deriveKey(key), bytes.subarray(0, 12));
  cipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([cipher.update(bytes.subarray(28)), cipher.final()]).toString('utf8');
}
