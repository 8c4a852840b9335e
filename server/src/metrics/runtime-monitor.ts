import { readdir } from 'node:fs/promises';
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';

/** A timer is started this often. How late it is, is the delay of the event loop. */
const RESOLUTION_MS = 20;
const NS_PER_MS = 1e6;

/** What the process of the service was like in a minute. */
export type RuntimeUse = {
  /** How late the event loop was. */
  eventLoop: { p95Ms: number; longestMs: number };
  /** The time of the garbage collection. */
  garbageCollectionMs: number;
  /** Open files and connections at the end. Null: this system does not tell. */
  openFiles: number | null;
};

/** Measures the event loop and the garbage collection of this process, until it is closed. */
export class RuntimeMonitor implements Disposable {
  readonly #delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #observer: PerformanceObserver;
  #garbageCollectionMs = 0;

  constructor() {
    this.#delays.enable();
    this.#observer = new PerformanceObserver((list) => this.#add(list.getEntries()));
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  /** Returns what was measured since the last call. */
  async take(): Promise<RuntimeUse> {
    this.#add(this.#observer.takeRecords());
    const eventLoop = {
      p95Ms: toDelayMs(this.#delays.percentile(95)),
      longestMs: toDelayMs(this.#delays.max),
    };
    const garbageCollectionMs = Math.round(this.#garbageCollectionMs);
    this.#delays.reset();
    this.#garbageCollectionMs = 0;
    return { eventLoop, garbageCollectionMs, openFiles: await countOpenFiles() };
  }

  #add(entries: readonly { duration: number }[]): void {
    for (const { duration } of entries) this.#garbageCollectionMs += duration;
  }

  [Symbol.dispose](): void {
    this.#delays.disable();
    this.#observer.disconnect();
  }
}

/** The histogram has the time between two timers, also the part that they should wait. */
function toDelayMs(betweenNs: number): number {
  return Math.max(0, Math.round((betweenNs / NS_PER_MS - RESOLUTION_MS) * 10) / 10);
}

/** Linux lists the open files and connections of a process in a folder. */
async function countOpenFiles(): Promise<number | null> {
  try {
    return (await readdir('/proc/self/fd')).length;
  } catch {
    // Other systems have no such folder.
    return null;
  }
}
