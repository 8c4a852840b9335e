import type { Readable, Writable } from 'node:stream';

/** An event of the browser, or of the page that `sessionId` is attached to. */
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

/** Maximum length of a message; a screenshot has less than a megabyte. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/**
 * A client of the Chrome DevTools Protocol (CDP) over two pipes: JSON messages, each followed by a
 * NUL byte. No port is opened, and the browser exits when its pipe closes.
 */
export class CdpClient {
  readonly #output: Writable;
  readonly #pendingCalls = new Map<number, PendingCall>();
  readonly #listeners = new Set<(event: CdpEvent) => void>();
  #partialMessage: Buffer[] = [];
  #partialBytes = 0;
  #lastId = 0;
  #closeReason: Error | undefined;

  constructor(output: Writable, input: Readable) {
    this.#output = output.on('error', (error) => this.close(error));
    input.on('data', (bytes: Buffer) => this.#onData(bytes));
    input.on('error', (error) => this.close(error));
    input.on('end', () => this.close(new Error('The browser has closed its pipe.')));
  }

  /** Calls a method. Rejects when the method fails or the browser exits. */
  send<Result = unknown>(method: string, params: object = {}, sessionId?: string): Promise<Result> {
    if (this.#closeReason !== undefined) return Promise.reject(this.#closeReason);
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#pendingCalls.set(id, { resolve, reject });
    this.#output.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return promise;
  }

  /** Calls `listener` for every event, until disposed. */
  subscribe(listener: (event: CdpEvent) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Whether the connection is closed. */
  get closed(): boolean {
    return this.#closeReason !== undefined;
  }

  /** Rejects all pending and all later calls. */
  close(reason: Error): void {
    this.#closeReason ??= reason;
    for (const { reject } of this.#pendingCalls.values()) reject(this.#closeReason);
    this.#pendingCalls.clear();
    this.#partialMessage = [];
  }

  #onData(bytes: Buffer): void {
    let start = 0;
    for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, start)) {
      const message = Buffer.concat([...this.#partialMessage, bytes.subarray(start, end)]);
      this.#onMessage(message.toString());
      this.#partialMessage = [];
      this.#partialBytes = 0;
      start = end + 1;
    }
    if (start === bytes.length) return;
    this.#partialMessage.push(bytes.subarray(start));
    this.#partialBytes += bytes.length - start;
    if (this.#partialBytes > MAX_MESSAGE_BYTES) {
      this.close(new Error(`The browser sent a message larger than ${MAX_MESSAGE_BYTES} bytes.`));
    }
  }

  #onMessage(text: string): void {
    const { id, result, error, method, params = {}, sessionId } = JSON.parse(text) as CdpMessage;
    if (method !== undefined) {
      for (const listener of [...this.#listeners]) {
        listener({ method, params, ...(sessionId !== undefined && { sessionId }) });
      }
      return;
    }
    const call = this.#pendingCalls.get(id ?? 0);
    this.#pendingCalls.delete(id ?? 0);
    if (error === undefined) call?.resolve(result as never);
    else call?.reject(new Error(error.message));
  }
}
