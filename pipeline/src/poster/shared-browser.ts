import type { CdpClient } from './cdp-client.ts';
import type { RunningBrowser } from './launch-browser.ts';

type SharedBrowserOptions = {
  launch(): Promise<RunningBrowser>;
  /** Ended when it was not needed for so long. */
  idleMs: number;
  /** What each use may take, from its turn on. */
  timeoutMs: number;
};

/** One browser for all: started when it is needed, used by one at a time, ended when it idles. */
export class SharedBrowser implements AsyncDisposable {
  readonly #options: SharedBrowserOptions;
  #browser: Promise<RunningBrowser> | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #idleTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(given: SharedBrowserOptions) {
    this.#options = given;
  }

  /** Does something with the browser. What takes too long, or is not wanted any more, is cut off. */
  use<T>(work: (devtools: CdpClient) => Promise<T>, signal: AbortSignal): Promise<T> {
    const mine = this.#queue.then(() => this.#runExclusively(work, signal));
    this.#queue = mine.catch(() => undefined);
    return mine;
  }

  async #runExclusively<T>(
    work: (devtools: CdpClient) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    signal.throwIfAborted();
    if (this.#closed) throw new Error('The service stops.');
    clearTimeout(this.#idleTimer);
    const { promise: cut, reject } = Promise.withResolvers<never>();
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const { timeoutMs, idleMs } = this.#options;
    const late = () => reject(new Error(`The picture was not there after ${timeoutMs / 1000} s.`));
    const timer = setTimeout(late, timeoutMs);
    try {
      return await Promise.race([this.#withBrowser(work), cut]);
    } catch (error) {
      // Whatever hangs or is broken is gone with it; the next use has another one.
      await this.#shutDown();
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      this.#idleTimer = setTimeout(() => this.#shutDown(), idleMs).unref();
    }
  }

  async #withBrowser<T>(work: (devtools: CdpClient) => Promise<T>): Promise<T> {
    // One that broke down while nobody used it.
    if ((await this.#browser)?.cdp.closed) await this.#shutDown();
    this.#browser ??= this.#options.launch();
    const { cdp } = await this.#browser;
    return work(cdp);
  }

  async #shutDown(): Promise<void> {
    const running = this.#browser;
    this.#browser = undefined;
    await (await running?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.#shutDown();
    await this.#queue;
    clearTimeout(this.#idleTimer);
  }
}
