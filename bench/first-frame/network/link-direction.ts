import type { NetworkProfile } from './profiles.ts';

/** The payload of a TCP segment in an Ethernet frame. */
const SEGMENT_BYTES = 1460;
/** The initial congestion window of today's servers: RFC 6928. */
const INITIAL_WINDOW_BYTES = 10 * SEGMENT_BYTES;

/** The time and the timers of a link. Tests replace them. */
export type Clock = {
  now: () => number;
  setTimeout: (callback: () => void, ms: number) => { clear: () => void };
};

const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  setTimeout(callback, ms) {
    const timer = setTimeout(callback, ms);
    return { clear: () => clearTimeout(timer) };
  },
};

type Segment = { bytes: Buffer; queuedAt: number; onSent: (() => void) | undefined };
type InTransit = { flow: Flow; bytes: Buffer; at: number };

/** One direction of one connection. */
export type Flow = {
  readonly queue: Segment[];
  /** Bytes sent and not yet acknowledged. */
  inFlightBytes: number;
  /** The congestion window. It grows by what is acknowledged; no segment is lost. */
  windowBytes: number;
  /** When the last acknowledgment opened the window. */
  windowOpenedAt: number;
  readonly deliver: (bytes: Buffer) => void;
};

/**
 * One direction of a shared link: a limited rate, a delay, and TCP's slow start for each connection.
 * Segments of all connections take turns. Each event has a time of its own: a late timer does not make the
 * link slower.
 */
export class LinkDirection {
  readonly #msPerByte: number;
  readonly #delayMs: number;
  readonly #initialWindowBytes: number;
  readonly #flows: Flow[] = [];
  readonly #deliveries: InTransit[] = [];
  readonly #acknowledgments: InTransit[] = [];
  readonly #clock: Clock;
  #freeAt = 0;
  #timer: { clear: () => void } | undefined;

  constructor({ bitsPerSecond, roundTripMs }: NetworkProfile, clock = SYSTEM_CLOCK) {
    this.#clock = clock;
    this.#msPerByte = 8000 / bitsPerSecond;
    this.#delayMs = roundTripMs / 2;
    // Without delay, everything is acknowledged at once.
    this.#initialWindowBytes = roundTripMs === 0 ? Number.POSITIVE_INFINITY : INITIAL_WINDOW_BYTES;
  }

  openFlow(deliver: (bytes: Buffer) => void): Flow {
    const flow: Flow = {
      queue: [],
      inFlightBytes: 0,
      windowBytes: this.#initialWindowBytes,
      windowOpenedAt: 0,
      deliver,
    };
    this.#flows.push(flow);
    return flow;
  }

  closeFlow(flow: Flow): void {
    const index = this.#flows.indexOf(flow);
    if (index >= 0) this.#flows.splice(index, 1);
  }

  /** Sends bytes; `onSent` is called when the last of them has left. */
  send(flow: Flow, bytes: Buffer, onSent: () => void): void {
    const queuedAt = this.#clock.now();
    for (let start = 0; start < bytes.byteLength; start += SEGMENT_BYTES) {
      const isLast = start + SEGMENT_BYTES >= bytes.byteLength;
      flow.queue.push({
        bytes: bytes.subarray(start, start + SEGMENT_BYTES),
        queuedAt,
        onSent: isLast ? onSent : undefined,
      });
    }
    this.#run();
  }

  #run(): void {
    this.#timer?.clear();
    this.#timer = undefined;
    const now = this.#clock.now();
    this.#acknowledge(now);
    const hasMore = this.#transmit(now);
    this.#deliver(now);
    const next = Math.min(
      this.#deliveries[0]?.at ?? Number.POSITIVE_INFINITY,
      this.#acknowledgments[0]?.at ?? Number.POSITIVE_INFINITY,
      hasMore ? this.#freeAt : Number.POSITIVE_INFINITY,
    );
    if (next < Number.POSITIVE_INFINITY)
      this.#timer = this.#clock.setTimeout(() => this.#run(), Math.max(0, next - now));
  }

  /** Sends what the rate and the windows allow until now. Returns whether there is more to send. */
  #transmit(now: number): boolean {
    for (;;) {
      const index = this.#flows.findIndex(
        ({ queue, inFlightBytes, windowBytes }) => queue.length > 0 && inFlightBytes < windowBytes,
      );
      const flow = this.#flows[index];
      if (flow === undefined) return false;
      if (this.#freeAt > now) return true;
      // The flow goes to the end of the line.
      this.#flows.push(...this.#flows.splice(index, 1));
      const { bytes, queuedAt, onSent } = flow.queue.shift() as Segment;
      const startAt = Math.max(this.#freeAt, queuedAt, flow.windowOpenedAt);
      this.#freeAt = startAt + bytes.byteLength * this.#msPerByte;
      flow.inFlightBytes += bytes.byteLength;
      this.#deliveries.push({ flow, bytes, at: this.#freeAt + this.#delayMs });
      // Not now: the callback may send.
      if (onSent !== undefined) setImmediate(onSent);
    }
  }

  #deliver(now: number): void {
    const count = this.#deliveries.findIndex(({ at }) => at > now);
    const due = this.#deliveries.splice(0, count < 0 ? this.#deliveries.length : count);
    for (const [flow, segments] of Map.groupBy(due, ({ flow }) => flow)) {
      flow.deliver(Buffer.concat(segments.map(({ bytes }) => bytes)));
    }
    for (const delivery of due)
      this.#acknowledgments.push({ ...delivery, at: delivery.at + this.#delayMs });
  }

  #acknowledge(now: number): void {
    while (this.#acknowledgments[0] !== undefined && this.#acknowledgments[0].at <= now) {
      const { flow, bytes, at } = this.#acknowledgments.shift() as InTransit;
      flow.inFlightBytes -= bytes.byteLength;
      flow.windowBytes += bytes.byteLength;
      flow.windowOpenedAt = at;
    }
  }
}
