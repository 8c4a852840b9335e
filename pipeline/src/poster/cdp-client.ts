import type { Readable, Writable } from 'node:stream';

/** Something that a page, or the browser, tells by itself. */
export type CdpEvent = {
  method: string;
  params: Record<string, unknown>;
  sessionId?: string;
};

type CdpMessage = {
  id?: number;
  result?: unknown;
  error?: { message: string };
} & Partial<CdpEvent>;
type PendingCall = { resolve(result: never): void; reject(error: Error): void };

/** A picture has less than a megabyte. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/**
 * Speaks the DevTools protocol with a browser over two pipes: messages of JSON, each ended by a zero.
 * No port is opened, and a browser whose pipe closes ends.
 */
export class CdpClient {
  readonly #output: Writable;
  readonly #pendingCalls = new Map<number, PendingCall>();
  readonly #listeners = new Set<(happening: CdpEvent) => void>();
  #partialMessage: Buffer[] = [];
  #partialBytes = 0;
  #lastId = 0;
  #closeReason: Error | undefined;

  constructor(to: Writable, from: Readable) {
    this.#output = to.on('error', (error) => this.close(error));
    from.on('data', (bytes: Buffer) => this.#onData(bytes));
    from.on('error', (error) => this.close(error));
    from.on('end', () => this.close(new Error('The browser has closed its pipe.')));
  }

  /** Asks for something. Rejects when the browser refuses, or ends. */
  send<Result = unknown>(method: string, params: object = {}, sessionId?: string): Promise<Result> {
    if (this.#closeReason !== undefined) return Promise.reject(this.#closeReason);
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#pendingCalls.set(id, { resolve, reject });
    this.#output.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return promise;
  }

  /** Calls `listener` at all that happens, until disposed. */
  subscribe(listener: (happening: CdpEvent) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  get closed(): boolean {
    return this.#closeReason !== undefined;
  }

  /** Whoever waits is told so, and whoever asks from now on. */
  close(reason: Error): void {
    this.#closeReason ??= reason;
    for (const { reject } of this.#pendingCalls.values()) reject(this.#closeReason);
    this.#pendingCalls.clear();
    this.#partialMessage = [];
  }

  #onData(bytes: Buffer): void {
    let from = 0;
    for (let to = bytes.indexOf(0); to !== -1; to = bytes.indexOf(0, from)) {
      this.#onMessage(
        Buffer.concat([...this.#partialMessage, bytes.subarray(from, to)]).toString(),
      );
      this.#partialMessage = [];
      this.#partialBytes = 0;
      from = to + 1;
    }
    if (from === bytes.length) return;
    this.#partialMessage.push(bytes.subarray(from));
    this.#partialBytes += bytes.length - from;
    if (this.#partialBytes > MAX_MESSAGE_BYTES) this.close(new Error('The browser says too much.'));
  }

  #onMessage(text: string): void {
    const { id, result, error, method, params = {}, sessionId } = JSON.parse(text) as CdpMessage;
    if (method !== undefined) {
      for (const listener of [...this.#listeners]) {
        listener({ method, params, ...(sessionId !== undefined && { sessionId }) });
      }
      return;
    }
    const waiting = this.#pendingCalls.get(id ?? 0);
    this.#pendingCalls.delete(id ?? 0);
    if (error === undefined) waiting?.resolve(result as never);
    else waiting?.reject(new Error(error.message));
  }
}
