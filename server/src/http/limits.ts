/** Limits of what clients may do on this node. 0: no limit. */
export type ClientLimits = {
  /** Requests of a token. Those of a public token count for each client address. */
  requestsPerMinute: number;
  /** Framed documents of a token, for each client address. */
  documentsPerMinute: number;
  /** Tokens that do not exist, from one client address, before the responses are slowed down. */
  failedTokensPerMinute: number;
  /** Pages whose embeds a user may have checked. */
  pageChecksPerMinute: number;
  /** Files that a token may upload at the same time. */
  uploadsPerToken: number;
  connections: number;
  connectionsPerAddress: number;
};

/** A network of 500 visitors who all open a page with 40 embeds within a minute stays below them. */
export const DEFAULT_CLIENT_LIMITS: ClientLimits = {
  requestsPerMinute: 30_000,
  documentsPerMinute: 30_000,
  failedTokensPerMinute: 300,
  pageChecksPerMinute: 30,
  uploadsPerToken: 32,
  connections: 10_000,
  connectionsPerAddress: 4_000,
};
