import { once } from 'node:events';
import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';

export const EVENT_STREAM_TYPE = 'text/event-stream';

/** Interval of comments in the event stream: proxies close idle connections. */
const HEARTBEAT_INTERVAL_MS = 15_000;

/** Sends server-sent events as the response of a request. Ends the response when it is disposed. */
export class EventStream implements Disposable {
  readonly #raw: FastifyReply['raw'];
  readonly #heartbeat: NodeJS.Timeout;

  constructor(reply: FastifyReply) {
    this.#raw = reply.raw;
    this.#raw.writeHead(200, {
      // Set by hooks. Fastify does not send the headers of a hijacked reply.
      ...(reply.getHeaders() as OutgoingHttpHeaders),
      'content-type': EVENT_STREAM_TYPE,
      // Keeps nginx from buffering the events.
      'x-accel-buffering': 'no',
    });
    this.#heartbeat = setInterval(() => this.comment(), HEARTBEAT_INTERVAL_MS);
  }

  /** Sends a comment, which clients ignore. */
  comment(): void {
    this.#raw.write(':\n\n');
  }

  /** Returns false if the client does not read as fast as events are sent. */
  send(name: string, data: object): boolean {
    // The JSON has no line breaks, so one `data` line is enough.
    return this.#raw.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Resolves when the client has read what was sent. @throws when `signal` aborts */
  async drained(signal: AbortSignal): Promise<void> {
    await once(this.#raw, 'drain', { signal });
  }

  [Symbol.dispose](): void {
    clearInterval(this.#heartbeat);
    this.#raw.end();
  }
}
