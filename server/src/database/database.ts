import type { Kysely, Transaction as KyselyTransaction } from 'kysely';

/** The tables, as rows lie in them. Times are ISO 8601 UTC text, lists are JSON text. */
export type Tables = {
  user: UserRow;
  token: TokenRow;
  design: DesignRow;
  revision: RevisionRow;
  artifact: ArtifactRow;
  job: JobRow;
  answer: IdempotencyKeyRow;
};

/** Runs queries, each in a transaction of its own. */
export type Database = Kysely<Tables>;

/** Runs queries in one transaction. Methods that join a transaction take it as `trx`. */
export type Transaction = KyselyTransaction<Tables>;

export type UserRow = { id: string; created_at: string };

export type TokenRow = {
  id: string;
  user_id: string;
  name: string;
  /** SHA-256 of the token string, hex. */
  hash: string;
  capabilities: string;
  origins: string;
  designs: string | null;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  seen_in_browser_at: string | null;
};

export type DesignRow = {
  id: string;
  user_id: string;
  name: string;
  description: string;
  status: string;
  /** The revision that embeds show. */
  revision_id: string | null;
  created_at: string;
  updated_at: string;
};

export type RevisionRow = {
  id: string;
  design_id: string;
  number: number;
  status: string;
  /** The upload: a blob's address. */
  source: string;
  source_bytes: number;
  /** What the preflight told of the upload. */
  examined: string;
  stats: string | null;
  report: string | null;
  /** Background and placeholder of the first frame. */
  look: string | null;
  /** Why it failed. */
  problem: string | null;
  created_at: string;
};

/** A file that the framed document may load for a revision. Pictures have a size in pixels. */
export type ArtifactRow = {
  revision_id: string;
  kind: string;
  blob: string;
  bytes: number;
  width: number | null;
  height: number | null;
};

/** Work that is still to be done; a row goes when its revision is ready or failed. */
export type JobRow = {
  id: string;
  revision_id: string;
  /** How often it was begun. */
  attempts: number;
  due_at: string;
  /** Whoever runs it says again and again that they live; past this they do not. */
  leased_until: string | null;
  created_at: string;
};

/** The first answer to a request with an Idempotency-Key. */
export type IdempotencyKeyRow = {
  key_hash: string;
  request_hash: string;
  status: number;
  location: string | null;
  /** Sealed: see http/idempotency.ts. */
  body: string;
  created_at: string;
};
