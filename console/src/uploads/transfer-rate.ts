/** The rate is that of this time. */
const WINDOW_MS = 10_000;

/** Estimates how long the rest of a file takes. */
export class TransferRate {
  readonly #sizeBytes: number;
  #samples: { bytes: number; timeMs: number }[] = [];
  /** The bytes that were there at the first sample. */
  startBytes = 0;
  #hasStarted = false;

  constructor(sizeBytes: number) {
    this.#sizeBytes = sizeBytes;
  }

  /** Adds a sample. Returns the remaining time, if it can be estimated. */
  add(bytes: number, timeMs: number): number | undefined {
    if (!this.#hasStarted) this.startBytes = bytes;
    this.#hasStarted = true;
    this.#samples = this.#samples.filter((sample) => timeMs - sample.timeMs < WINDOW_MS);
    this.#samples.push({ bytes, timeMs });
    const [first] = this.#samples;
    if (first === undefined || timeMs - first.timeMs < 500 || bytes <= first.bytes)
      return undefined;
    return ((this.#sizeBytes - bytes) * (timeMs - first.timeMs)) / (bytes - first.bytes);
  }

  /** Forgets the samples: nothing was sent for a while. */
  restart(): void {
    this.#samples = [];
  }
}
