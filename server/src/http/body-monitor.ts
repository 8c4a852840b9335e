import type { IncomingMessage } from 'node:http';
import { Problem } from '@cloche/contract/problem';

/** How fast a request body must arrive. Time during which the service is the slower one does not count. */
export type BodyLimits = {
  /** Maximum time without data. */
  stallMs: number;
  /** Minimum average over each period of `stallMs`. Default: none. */
  minBytesPerSecond?: number;
  /** Maximum time for the whole body. Default: none. */
  totalMs?: number;
};

type WatchedBody = {
  raw: IncomingMessage;
  limits: BodyLimits;
  onTimeout: (problem: Problem) => void;
  advice: string;
  totalMs: number;
  idleMs: number;
  /** The current period, and the bytes of the connection at its start. */
  periodMs: number;
  periodStartBytes: number;
  bytes: number;
};

const MAX_INTERVAL_MS = 1000;

/** Reports request bodies that arrive too slowly. One timer checks all of them. */
export class BodyMonitor implements Disposable {
  readonly #bodies = new Map<IncomingMessage, WatchedBody>();
  readonly #timer: NodeJS.Timeout;
  readonly #intervalMs: number;
  #lastCheckMs = performance.now();

  /** @param shortestLimitMs the shortest limit of any body, which is exceeded by half at most */
  constructor(shortestLimitMs: number) {
    this.#intervalMs = Math.min(MAX_INTERVAL_MS, shortestLimitMs / 2);
    this.#timer = setInterval(() => this.#checkAll(), this.#intervalMs).unref();
  }

  /** Number of bodies that are being watched. */
  get size(): number {
    return this.#bodies.size;
  }

  /**
   * Watches a body until it is complete or `unwatch` is called. `onTimeout` is called once, with
   * request.timeout.
   *
   * @param advice the last sentence of the problem
   */
  watch(
    raw: IncomingMessage,
    limits: BodyLimits,
    { advice, onTimeout }: Pick<WatchedBody, 'advice' | 'onTimeout'>,
  ): void {
    const bytes = countBytes(raw);
    const counters = { totalMs: 0, idleMs: 0, periodMs: 0, periodStartBytes: bytes, bytes };
    this.#bodies.set(raw, { raw, limits, advice, onTimeout, ...counters });
  }

  unwatch(raw: IncomingMessage): void {
    this.#bodies.delete(raw);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#bodies.clear();
  }

  #checkAll(): void {
    const now = performance.now();
    // While the event loop is blocked, bytes wait in the kernel: that is not the fault of the client. No limit is shorter than two
    // intervals, and between two checks, these bytes are read.
    const elapsedMs = Math.min(now - this.#lastCheckMs, this.#intervalMs);
    this.#lastCheckMs = now;
    for (const body of this.#bodies.values()) {
      const { raw } = body;
      const reason = raw.complete || raw.destroyed ? 'ended' : findDelay(body, elapsedMs);
      if (reason === undefined) continue;
      this.#bodies.delete(raw);
      if (reason === 'ended') continue;
      const detail = `The body timed out: ${reason}. ${body.advice}`;
      body.onTimeout(new Problem('request.timeout', { detail }));
    }
  }
}

/** Adds the elapsed time to the counters of a body. Says which limit it exceeds, if any. */
function findDelay(body: WatchedBody, elapsedMs: number): string | undefined {
  const { raw, limits } = body;
  // What has arrived was not read yet.
  if (raw.readableLength > 0) return undefined;
  const { stallMs, minBytesPerSecond = 0, totalMs } = limits;
  const bytes = countBytes(raw);
  body.idleMs = bytes === body.bytes ? body.idleMs + elapsedMs : 0;
  body.bytes = bytes;
  body.totalMs += elapsedMs;
  body.periodMs += elapsedMs;
  if (totalMs !== undefined && body.totalMs >= totalMs)
    return `it did not arrive within ${totalMs / 1000} s`;
  if (body.idleMs >= stallMs) return `no data for ${stallMs / 1000} s`;
  if (body.periodMs < stallMs) return undefined;
  if ((bytes - body.periodStartBytes) * 1000 < minBytesPerSecond * body.periodMs)
    return `less than ${minBytesPerSecond} bytes per second for ${stallMs / 1000} s`;
  body.periodMs = 0;
  body.periodStartBytes = bytes;
  return undefined;
}

/** Bytes of the connection so far. While a body arrives, nothing else does. */
function countBytes({ socket }: IncomingMessage): number {
  return socket.bytesRead ?? 0;
}
