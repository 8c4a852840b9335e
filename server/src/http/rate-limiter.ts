import { Problem } from '@cloche/contract/problem';
import type { FastifyReply } from 'fastify';
import { LRUCache } from 'lru-cache';

export type RateLimiterOptions = {
  /** Also the number of requests that may come at once. 0: no limit. */
  perMinute: number;
  /** Describes what is limited, in a problem. */
  what: string;
  /** Milliseconds. Default: `performance.now`. */
  clock?: () => number;
  /** Keys in memory; the one that was used least recently is forgotten first. */
  maxKeys?: number;
};

/** The state of a limit after a request. */
export type RateLimitState = {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until `remaining` is `limit` again. */
  resetSeconds: number;
  /** Seconds until the next request is allowed; 0 if one is allowed now. */
  retryAfterSeconds: number;
};

/** 150 bytes per key. */
const MAX_KEYS = 50_000;
const MINUTE_MS = 60_000;

/**
 * Limits the rate of requests by key, on this node only. A bucket of `perMinute` requests is refilled evenly. One
 * time per key is stored (GCRA): when its bucket will be full.
 */
export class RateLimiter {
  readonly #limit: number;
  readonly #intervalMs: number;
  readonly #what: string;
  readonly #clock: () => number;
  readonly #keys: LRUCache<string, { fullAtMs: number }>;

  constructor({ perMinute, what, clock, maxKeys = MAX_KEYS }: RateLimiterOptions) {
    this.#limit = perMinute;
    this.#intervalMs = MINUTE_MS / perMinute;
    this.#what = what;
    this.#clock = clock ?? (() => performance.now());
    // Not `max`: the cache would allocate memory for all keys at once.
    this.#keys = new LRUCache({ maxSize: maxKeys, sizeCalculation: () => 1 });
  }

  get isEnabled(): boolean {
    return this.#limit > 0;
  }

  /** Number of keys in memory. */
  get size(): number {
    return this.#keys.size;
  }

  /** Counts a request. A request that is not allowed takes nothing from the bucket. */
  take(key: string): RateLimitState {
    const now = this.#clock();
    const bucket = this.#get(key);
    const fullAtMs = Math.max(bucket.fullAtMs, now) + this.#intervalMs;
    const excessMs = fullAtMs - now - MINUTE_MS;
    // Sums of intervals are not exact.
    const allowed = excessMs <= 1e-3;
    if (allowed) bucket.fullAtMs = fullAtMs;
    const missing = (bucket.fullAtMs - now) / this.#intervalMs;
    return {
      allowed,
      limit: this.#limit,
      remaining: Math.max(0, Math.floor(this.#limit - missing + 1e-6)),
      resetSeconds: Math.ceil((bucket.fullAtMs - now) / 1000),
      retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil(excessMs / 1000)),
    };
  }

  /**
   * Counts a request, and sets the `RateLimit-…` headers of draft-ietf-httpapi-ratelimit-headers-06.
   *
   * @throws {Problem} request.rate-limited
   */
  limitRequest(key: string, reply: FastifyReply): void {
    if (this.#limit === 0) return;
    const { allowed, limit, remaining, resetSeconds, retryAfterSeconds } = this.take(key);
    reply.header('ratelimit-limit', limit);
    reply.header('ratelimit-remaining', remaining);
    reply.header('ratelimit-reset', resetSeconds);
    if (!allowed) throw this.createProblem(retryAfterSeconds);
  }

  createProblem(retryAfterSeconds: number): Problem {
    return new Problem('request.rate-limited', {
      detail: `At most ${this.#limit} ${this.#what} per minute are allowed. Retry in ${retryAfterSeconds} s.`,
      retryAfterSeconds,
    });
  }

  #get(key: string): { fullAtMs: number } {
    const existing = this.#keys.get(key);
    if (existing !== undefined) return existing;
    const created = { fullAtMs: Number.NEGATIVE_INFINITY };
    this.#keys.set(key, created);
    return created;
  }
}
