/** The messages between tabs. */
type TabMessage =
  | { type: 'ask' }
  | { type: 'active'; tab: string; fingerprints: readonly string[] };

/**
 * The uploads that run in the tabs of the browser: one that runs in another tab is not interrupted.
 *
 * Each tab holds a lock of its own. The browser releases it when the tab is closed or crashes, and the other tabs then forget its
 * uploads. Browsers have no locks over plain http: there, a tab says that it ends, but not if it crashes.
 */
export class ActiveUploads implements Disposable {
  readonly #channel = new BroadcastChannel('cloche-uploads');
  readonly #tab = crypto.getRandomValues(new Uint32Array(2)).join('-');
  readonly #own = new Map<string, number>();
  readonly #others = new Map<string, readonly string[]>();
  readonly #locks: LockManager | undefined = navigator.locks;
  readonly #lock = Promise.withResolvers<void>();
  readonly #waiting = new AbortController();
  #isKnown = false;
  /** Called when uploads in other tabs begin or end. */
  onChange: () => void = () => undefined;

  constructor() {
    this.#channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
      if (data.type === 'ask') return this.#send();
      if (!this.#others.has(data.tab)) this.#waitForEnd(data.tab);
      this.#others.set(data.tab, data.fingerprints);
      this.onChange();
    };
    addEventListener('pagehide', this.#sayEnd);
    addEventListener('pageshow', this.#send);
    this.#channel.postMessage({ type: 'ask' } satisfies TabMessage);
    this.#introduce();
  }

  /** Says whether an upload runs, in this tab or another one. */
  has(fingerprint: string): boolean {
    if (this.#own.has(fingerprint)) return true;
    return [...this.#others.values()].some((fingerprints) => fingerprints.includes(fingerprint));
  }

  /** Adds an upload of this tab until the result is disposed. */
  add(fingerprint: string): Disposable {
    this.#own.set(fingerprint, (this.#own.get(fingerprint) ?? 0) + 1);
    this.#send();
    return {
      [Symbol.dispose]: () => {
        const count = (this.#own.get(fingerprint) ?? 1) - 1;
        if (count > 0) this.#own.set(fingerprint, count);
        else this.#own.delete(fingerprint);
        this.#send();
      },
    };
  }

  /** Tells the other tabs about this one when it has its lock: a tab without one has ended. */
  #introduce(): void {
    const hold = () => {
      this.#isKnown = true;
      this.#send();
      return this.#lock.promise;
    };
    if (this.#locks === undefined) void hold();
    else void this.#locks.request(getLockName(this.#tab), hold);
  }

  #waitForEnd(tab: string): void {
    const options: LockOptions = { mode: 'shared', signal: this.#waiting.signal };
    const forget = () => {
      this.#others.delete(tab);
      this.onChange();
    };
    // It is rejected when this tab waits no longer.
    this.#locks?.request(getLockName(tab), options, forget).catch(() => undefined);
  }

  readonly #send = (): void => {
    if (this.#isKnown) this.#sendList([...this.#own.keys()]);
  };

  readonly #sayEnd = (): void => this.#sendList([]);

  #sendList(fingerprints: readonly string[]): void {
    const message: TabMessage = { type: 'active', tab: this.#tab, fingerprints };
    this.#channel.postMessage(message);
  }

  [Symbol.dispose](): void {
    removeEventListener('pagehide', this.#sayEnd);
    removeEventListener('pageshow', this.#send);
    this.#sayEnd();
    this.#own.clear();
    this.#isKnown = false;
    this.#waiting.abort();
    this.#lock.resolve();
    this.#channel.close();
  }
}

function getLockName(tab: string): string {
  return `cloche-uploads-${tab}`;
}
