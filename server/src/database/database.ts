import type { Kysely } from 'kysely';

/** The tables, as rows lie in them. Times are ISO 8601 UTC text, lists are JSON text. */
export type Tables = {
  user: UserRow;
  token: TokenRow;
  design: DesignRow;
  revision: RevisionRow;
  artifact: ArtifactRow;
  answer: AnswerRow;
};

export type Database = Kysely<Tables>;

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
  /** The upload: a blob's address. */
  source: string;
  stats: string;
  created_at: string;
};

/** A file that the framed document may load for a revision. */
export type ArtifactRow = {
  revision_id: string;
  kind: string;
  blob: string;
  bytes: number;
};

/** The first answer to a request with an Idempotency-Key. */
export type AnswerRow = {
  key_hash: string;
  request_hash: string;
  status: number;
  location: string | null;
  /** Sealed: see http/idempotency.ts. */
  body: string;
  created_at: string;
};
