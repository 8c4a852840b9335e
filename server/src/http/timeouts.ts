/** Timeouts of requests, responses and connections. */
export type Timeouts = {
  headersMs: number;
  jsonBodyMs: number;
  /** Maximum time without a byte of an upload, and the period of its average rate. */
  uploadStallMs: number;
  /** Maximum wait for another request for the same upload. */
  uploadLockMs: number;
  /** Maximum time without a byte in either direction while a client reads a response. */
  idleMs: number;
  /** Maximum time to read the rest of a body after the response. */
  bodyDrainMs: number;
  /** How long a shutdown gives idle connections for one more request. */
  connectionDrainMs: number;
};

export const DEFAULT_TIMEOUTS: Timeouts = {
  headersMs: 10_000,
  jsonBodyMs: 30_000,
  uploadStallMs: 30_000,
  uploadLockMs: 10_000,
  idleMs: 60_000,
  bodyDrainMs: 10_000,
  connectionDrainMs: 1_000,
};
