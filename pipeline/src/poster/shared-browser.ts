import type { CdpClient } from './cdp-client.ts';
import type { RunningBrowser } from './launch-browser.ts';

type SharedBrowserOptions = {
  launch(): Promise<RunningBrowser>;
  /** The browser is closed after this time without use. */
  idleMs: number;
  /** Time limit of each use, not counting the time in the queue. */
  timeoutMs: number;
};

/** One browser, launched on first use, used by one caller at a time, closed when idle. */
export class SharedBrowser implements AsyncDisposable {
  readonly #options: SharedBrowserOptions;
  #browser: Promise<RunningBrowser> | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #idleTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: SharedBrowserOptions) {
    this.#options = options;
  }

  /** Queues `callback`. On timeout and on abort, rejects and kills the browser. */
  use<T>(callback: (cdp: CdpClient) => Promise<T>, signal: AbortSignal): Promise<T> {
    const result = this.#queue.then(() => this.#runExclusively(callback, signal));
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #runExclusively<T>(
    callback: (cdp: CdpClient) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    signal.throwIfAborted();
    if (this.#closed) throw new Error('The service is shutting down.');
    clearTimeout(this.#idleTimer);
    const { promise: interrupted, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const { timeoutMs, idleMs } = this.#options;
    const onTimeout = () =>
      reject(new Error(`The poster was not rendered within ${timeoutMs / 1000} s.`));
    const timer = setTimeout(onTimeout, timeoutMs);
    try {
      return await Promise.race([this.#withBrowser(callback), interrupted]);
    } catch (error) {
      // The browser may hang or be broken, so the next use launches another one.
      await this.#shutDown();
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      this.#idleTimer = setTimeout(() => this.#shutDown(), idleMs).unref();
    }
  }

  async #withBrowser<T>(callback: (cdp: CdpClient) => Promise<T>): Promise<T> {
    // The browser may have exited since its last use.
    if ((await this.#browser)?.cdp.closed) await this.#shutDown();
    this.#browser ??= this.#options.launch();
    const { cdp } = await this.#browser;
    return callback(cdp);
  }

  async #shutDown(): Promise<void> {
    const browser = this.#browser;
    this.#browser = undefined;
    await (await browser?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.#shutDown();
    await this.#queue;
    clearTimeout(this.#idleTimer);
  }
}
