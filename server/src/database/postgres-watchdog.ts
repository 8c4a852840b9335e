import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { isConnectionError } from './postgres-errors.ts';

/** An operation that waits for the server, and how to end it. */
type Waiting = { startMs: number; reject: (error: Error) => void };

const CHECK_INTERVAL_MS = 500;
/** After so long without an answer, it is checked whether the server responds to anything. */
const MAX_WAIT_MS = 2_000;
/** How long a probe waits: as many ticks, so that time in which this process did not run counts as one of them. */
const PROBE_TICKS = 20;
const TICK_MS = 100;

/**
 * Ends operations when the server responds to nothing, such as when its machine has failed. A slow query is not ended: the
 * server answers a query of another connection meanwhile, an existing or a new one.
 */
export class PostgresWatchdog {
  readonly #url: string;
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;
  #isResponding = true;
  #isProbing = false;
  /** Answers of the server to operations, until now. */
  #answers = 0;

  constructor(url: string) {
    this.#url = url;
  }

  /** Returns the result of a query, or rejects when the server does not respond. */
  watchQuery<T>(query: Promise<T>): Promise<T> {
    const countAnswer = () => {
      this.#answers += 1;
    };
    query.then(countAnswer, (error) => isSentByServer(error) && countAnswer());
    return this.watch(query);
  }

  /** Returns the result of an operation, which may need no answer, or rejects when the server does not respond. */
  watch<T>(operation: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const waiting = { startMs: performance.now(), reject };
    this.#waiting.add(waiting);
    this.#timer ??= setInterval(() => void this.#check(), CHECK_INTERVAL_MS).unref();
    return Promise.race([operation, promise]).finally(() => this.#waiting.delete(waiting));
  }

  /** @throws if the server did not respond when it was last checked */
  assertResponding(): void {
    if (!this.#isResponding) throw createError();
  }

  async #check(): Promise<void> {
    const [oldest] = this.#waiting;
    if (!this.#isResponding) this.#rejectWaiting();
    if (oldest === undefined && this.#isResponding) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const isWaiting = oldest !== undefined && performance.now() - oldest.startMs > MAX_WAIT_MS;
    if (this.#isProbing || (this.#isResponding && !isWaiting)) return;
    this.#isProbing = true;
    const answersBefore = this.#answers;
    // An overloaded server may accept no new connection, and answer over those that it has.
    this.#isResponding = (await isResponding(this.#url)) || this.#answers > answersBefore;
    this.#isProbing = false;
    if (!this.#isResponding) this.#rejectWaiting();
  }

  /** Ends the operations that have waited for long enough. Newer ones may still get an answer. */
  #rejectWaiting(): void {
    const nowMs = performance.now();
    for (const { startMs, reject } of this.#waiting)
      if (nowMs - startMs > MAX_WAIT_MS) reject(createError());
  }
}

/** Asks the server over a new connection. An error that the server sends is an answer. */
async function isResponding(url: string): Promise<boolean> {
  const socket = new Socket();
  const client = new pg.Client({
    connectionString: url,
    application_name: 'cloche check',
    stream: () => socket,
  });
  client.on('error', () => {
    // The query fails as well.
  });
  const answer = client
    .connect()
    .then(() => client.query('SELECT 1'))
    .then(
      () => true,
      (error) => !isConnectionError(error) || isSentByServer(error),
    );
  const ended = new AbortController();
  const responds = await Promise.race([answer, waitTicks(ended.signal)]);
  ended.abort();
  if (responds) client.end().catch(() => {});
  else socket.destroy();
  return responds;
}

/** Returns false after PROBE_TICKS. */
async function waitTicks(signal: AbortSignal): Promise<false> {
  for (let tick = 0; tick < PROBE_TICKS && !signal.aborted; tick += 1) await delay(TICK_MS);
  return false;
}

function isSentByServer(error: unknown): boolean {
  return error instanceof pg.DatabaseError;
}

function createError(): Error {
  return Object.assign(new Error('The database does not respond'), { code: 'ETIMEDOUT' });
}
