import type { Readable, Writable } from 'node:stream';

/** Something that a page, or the browser, tells by itself. */
export type Happening = {
  method: string;
  params: Record<string, unknown>;
  sessionId?: string;
};

type Said = { id?: number; result?: unknown; error?: { message: string } } & Partial<Happening>;
type Waiting = { resolve(result: never): void; reject(error: Error): void };

/** A picture has less than a megabyte. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/**
 * Speaks the DevTools protocol with a browser over two pipes: messages of JSON, each ended by a zero.
 * No port is opened, and a browser whose pipe closes ends.
 */
export class Devtools {
  readonly #to: Writable;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Set<(happening: Happening) => void>();
  #half: Buffer[] = [];
  #halfBytes = 0;
  #count = 0;
  #ended: Error | undefined;

  constructor(to: Writable, from: Readable) {
    this.#to = to.on('error', (error) => this.end(error));
    from.on('data', (bytes: Buffer) => this.#hear(bytes));
    from.on('error', (error) => this.end(error));
    from.on('end', () => this.end(new Error('The browser has closed its pipe.')));
  }

  /** Asks for something. Rejects when the browser refuses, or ends. */
  send<Result = unknown>(method: string, params: object = {}, sessionId?: string): Promise<Result> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    this.#count += 1;
    const id = this.#count;
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.set(id, { resolve, reject });
    this.#to.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return promise;
  }

  /** Calls `listener` at all that happens, until disposed. */
  listen(listener: (happening: Happening) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  get ended(): boolean {
    return this.#ended !== undefined;
  }

  /** Whoever waits is told so, and whoever asks from now on. */
  end(reason: Error): void {
    this.#ended ??= reason;
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
    this.#half = [];
  }

  #hear(bytes: Buffer): void {
    let from = 0;
    for (let to = bytes.indexOf(0); to !== -1; to = bytes.indexOf(0, from)) {
      this.#take(Buffer.concat([...this.#half, bytes.subarray(from, to)]).toString());
      this.#half = [];
      this.#halfBytes = 0;
      from = to + 1;
    }
    if (from === bytes.length) return;
    this.#half.push(bytes.subarray(from));
    this.#halfBytes += bytes.length - from;
    if (this.#halfBytes > MAX_MESSAGE_BYTES) this.end(new Error('The browser says too much.'));
  }

  #take(text: string): void {
    const { id, result, error, method, params = {}, sessionId } = JSON.parse(text) as Said;
    if (method !== undefined) {
      for (const listener of [...this.#listeners]) {
        listener({ method, params, ...(sessionId !== undefined && { sessionId }) });
      }
      return;
    }
    const waiting = this.#waiting.get(id ?? 0);
    this.#waiting.delete(id ?? 0);
    if (error === undefined) waiting?.resolve(result as never);
    else waiting?.reject(new Error(error.message));
  }
}
