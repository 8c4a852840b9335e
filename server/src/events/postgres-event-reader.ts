import pg from 'pg';
import { CHANGE_LIFETIME_MS } from './delete-changes.ts';
import {
  type EventOf,
  type EventSource,
  type EventTopic,
  MAX_LAG_MS,
  type ServiceEvent,
} from './event.ts';
import { CHANGE_CHANNEL } from './publish-event.ts';

export type PostgresEventReaderOptions = {
  url: string;
  onError: (error: Error) => void;
  /** Whether to receive notifications (LISTEN). Otherwise the table is only read at each interval. Default: true. */
  listen?: boolean;
  clocks?: Clocks;
};

/**
 * Clocks, in milliseconds. The one that advances more counts: the monotonic clock may stand still while the machine is suspended, and the
 * time of day can be set back.
 */
type Clocks = { readonly monotonic: () => number; readonly timeOfDay: () => number };
const DEFAULT_CLOCKS: Clocks = {
  monotonic: () => performance.now(),
  timeOfDay: () => Date.now(),
};

/** The table is also read without a notification: connection poolers do not pass them on. */
const POLL_INTERVAL_MS = 500;
/** Notifications within this time are answered with one read. */
const NOTIFICATION_DELAY_MS = 5;
const QUERY_TIMEOUT_MS = 2_000;
const CONNECT_TIMEOUT_MS = 5_000;
const MIN_RECONNECT_DELAY_MS = 50;
// As often as the table is read.
const MAX_RECONNECT_DELAY_MS = POLL_INTERVAL_MS;
/** If this process was suspended for longer, changes that it has not read may have been deleted. */
const MAX_READ_GAP_MS = CHANGE_LIFETIME_MS / 2;

/**
 * Selects the changes that are visible now and were not in the earlier snapshot. Transactions do not commit in the
 * order of their ids, so it is not enough to read those after the last one.
 */
const READ_CHANGES = `
  SELECT pg_current_snapshot()::text AS snapshot, (
    SELECT json_agg(payload ORDER BY transaction_id) FROM change
    WHERE transaction_id >= pg_snapshot_xmin($1::pg_snapshot)::text::bigint
      AND NOT pg_visible_in_snapshot(transaction_id::text::xid8, $1::pg_snapshot)
  ) AS payloads`;

/** Before the first read, nothing was missed. */
const READ_SNAPSHOT = 'SELECT pg_current_snapshot()::text AS snapshot, NULL::json AS payloads';

type ChangesRow = { snapshot: string; payloads: string[] | null };

/**
 * Reads the table `change` over a connection of its own: at each notification, and at each interval. What a
 * notification says is not used, so none can be lost, and the lag is known also if none arrives.
 */
export class PostgresEventReader implements EventSource, AsyncDisposable {
  readonly #options: PostgresEventReaderOptions;
  readonly #clocks: Clocks;
  readonly #listeners = new Map<EventTopic, Set<(event: ServiceEvent) => void>>();
  readonly #missedListeners = new Set<() => void>();
  #closed = false;
  #onClose: () => void = () => {};
  readonly #running: Promise<void>;
  #closeConnection: () => void = () => {};
  /** What the last read could see. */
  #snapshot: string | undefined;
  /** When the last successful read began, by each clock. */
  #readAtMs: { monotonic: number; timeOfDay: number } | undefined;
  /** The last answer of `isCurrent`, which is valid for this millisecond of the time of day. */
  #answer = { atMs: Number.NaN, isCurrent: false };
  #wasNotified = false;
  #wake: () => void = () => {};

  constructor(options: PostgresEventReaderOptions) {
    this.#options = options;
    this.#clocks = options.clocks ?? DEFAULT_CLOCKS;
    this.#running = this.#run();
  }

  isCurrent(): boolean {
    // Each use of a cache asks for it, so several times for each framed document: one clock is enough for the same answer.
    const atMs = this.#clocks.timeOfDay();
    if (atMs !== this.#answer.atMs)
      this.#answer = { atMs, isCurrent: this.getLagMs() < MAX_LAG_MS };
    return this.#answer.isCurrent;
  }

  getLagMs(): number {
    const { monotonic, timeOfDay } = this.#clocks;
    if (this.#readAtMs === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(monotonic() - this.#readAtMs.monotonic, timeOfDay() - this.#readAtMs.timeOfDay);
  }

  subscribe<T extends EventTopic>(topic: T, listener: (event: EventOf<T>) => void): void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(listener as (event: ServiceEvent) => void));
  }

  onMissed(listener: () => void): void {
    this.#missedListeners.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#onClose();
    this.#closeConnection();
    await this.#running;
  }

  async #run(): Promise<void> {
    let delayMs = MIN_RECONNECT_DELAY_MS;
    while (!this.#closed) {
      try {
        using connection = await this.#connect();
        await this.#read(connection.client, { isFirst: true });
        delayMs = MIN_RECONNECT_DELAY_MS;
        while (await this.#waitForChanges(connection.ended)) await this.#read(connection.client);
      } catch (error) {
        if (this.#closed) return;
        this.#options.onError(error as Error);
        await this.#sleep(delayMs, { canWake: false });
        delayMs = Math.min(delayMs * 2, MAX_RECONNECT_DELAY_MS);
      }
    }
  }

  async #connect() {
    const { url, onError, listen = true } = this.#options;
    const client = new pg.Client({
      connectionString: url,
      application_name: 'cloche events',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      keepAlive: true,
    });
    const ended = new AbortController();
    client.on('error', (error) => {
      if (!this.#closed && !ended.signal.aborted) onError(error);
    });
    client.on('end', () => {
      ended.abort();
      this.#wake();
    });
    client.on('notification', () => {
      this.#wasNotified = true;
      this.#wake();
    });
    const close = () => closeClient(client);
    this.#closeConnection = close;
    try {
      await client.connect();
      // Before the first read, so that no change in between is missed.
      if (listen) await client.query(`LISTEN ${CHANGE_CHANNEL}`);
    } catch (error) {
      close();
      throw error;
    }
    return { client, ended: ended.signal, [Symbol.dispose]: close };
  }

  async #read(client: pg.Client, { isFirst = false } = {}): Promise<void> {
    const { monotonic, timeOfDay } = this.#clocks;
    const startMs = { monotonic: monotonic(), timeOfDay: timeOfDay() };
    this.#wasNotified = false;
    const { rows } = await client.query<ChangesRow>(
      this.#snapshot === undefined ? READ_SNAPSHOT : READ_CHANGES,
      this.#snapshot === undefined ? [] : [this.#snapshot],
    );
    // Checked after the query: the process may have been suspended during it.
    let wasMissed = isFirst || this.getLagMs() > MAX_READ_GAP_MS;
    for (const payload of rows[0]?.payloads ?? []) if (!this.#deliver(payload)) wasMissed = true;
    // After a new connection, another server may respond, such as one that was restored from a backup: its snapshots
    // are others.
    if (wasMissed) for (const listener of this.#missedListeners) listener();
    this.#snapshot = rows[0]?.snapshot;
    this.#readAtMs = startMs;
    this.#answer.atMs = Number.NaN;
  }

  /** Returns false if the event has no effect: the events after it must be received all the same. */
  #deliver(payload: string): boolean {
    let event: ServiceEvent | undefined;
    try {
      event = JSON.parse(payload) as ServiceEvent;
      // A newer program may have written an event with another topic.
      for (const listener of this.#listeners.get(event.topic) ?? []) listener(event);
      return true;
    } catch (cause) {
      const what = event === undefined ? 'an event is malformed' : 'receiving an event failed';
      this.#options.onError(new Error(`${what}: ${payload}`, { cause }));
      return false;
    }
  }

  /** Returns false if the connection or this reader was closed. */
  async #waitForChanges(ended: AbortSignal): Promise<boolean> {
    if (!this.#wasNotified && !ended.aborted) await this.#sleep(POLL_INTERVAL_MS);
    if (this.#wasNotified) await this.#sleep(NOTIFICATION_DELAY_MS, { canWake: false });
    if (this.#closed) return false;
    if (ended.aborted) throw new Error('the connection that receives events was closed');
    return true;
  }

  async #sleep(ms: number, { canWake = true } = {}): Promise<void> {
    if (this.#closed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    if (canWake) this.#wake = resolve;
    this.#onClose = resolve;
    const timer = setTimeout(resolve, ms);
    await promise;
    clearTimeout(timer);
    this.#wake = () => {};
  }
}

/** Closes a connection at once, also while it is being opened: `end` would wait for the server. */
function closeClient(client: pg.Client): void {
  (
    client as unknown as { connection: { stream: { destroy(): void } } }
  ).connection.stream.destroy();
}
