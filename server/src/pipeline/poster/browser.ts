import type { Devtools } from './devtools.ts';
import type { Running } from './launch.ts';

type Given = {
  launch(): Promise<Running>;
  /** Ended when it was not needed for so long. */
  idleMs: number;
  /** What each use may take, from its turn on. */
  timeoutMs: number;
};

/** One browser for all: started when it is needed, used by one at a time, ended when it idles. */
export class Browser implements AsyncDisposable {
  readonly #given: Given;
  #running: Promise<Running> | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(given: Given) {
    this.#given = given;
  }

  /** Does something with the browser. What takes too long, or is not wanted any more, is cut off. */
  use<T>(work: (devtools: Devtools) => Promise<T>, signal: AbortSignal): Promise<T> {
    const mine = this.#turn.then(() => this.#use(work, signal));
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  async #use<T>(work: (devtools: Devtools) => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    if (this.#closed) throw new Error('The service stops.');
    clearTimeout(this.#idle);
    const { promise: cut, reject } = Promise.withResolvers<never>();
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const { timeoutMs, idleMs } = this.#given;
    const late = () => reject(new Error(`The picture was not there after ${timeoutMs / 1000} s.`));
    const timer = setTimeout(late, timeoutMs);
    try {
      return await Promise.race([this.#work(work), cut]);
    } catch (error) {
      // Whatever hangs or is broken is gone with it; the next use has another one.
      await this.#end();
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      this.#idle = setTimeout(() => this.#end(), idleMs).unref();
    }
  }

  async #work<T>(work: (devtools: Devtools) => Promise<T>): Promise<T> {
    // One that broke down while nobody used it.
    if ((await this.#running)?.devtools.ended) await this.#end();
    this.#running ??= this.#given.launch();
    const { devtools } = await this.#running;
    return work(devtools);
  }

  async #end(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await (await running?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.#end();
    await this.#turn;
    clearTimeout(this.#idle);
  }
}
