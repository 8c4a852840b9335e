import { type Kysely, sql } from 'kysely';

/** Users, tokens, designs with their revisions and files, and answers kept for retries. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
}

const STATEMENTS = [
  `CREATE TABLE user (
    id TEXT PRIMARY KEY,
    created_at TEXT NOT NULL
  ) STRICT`,

  `CREATE TABLE token (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES user (id),
    name TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    capabilities TEXT NOT NULL,
    origins TEXT NOT NULL,
    designs TEXT,
    created_at TEXT NOT NULL,
    expires_at TEXT,
    revoked_at TEXT,
    last_used_at TEXT,
    seen_in_browser_at TEXT
  ) STRICT`,
  'CREATE INDEX token_by_user ON token (user_id, created_at, id)',

  `CREATE TABLE design (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES user (id),
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('queued', 'processing', 'ready', 'failed')),
    revision_id TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  ) STRICT`,
  'CREATE INDEX design_by_user ON design (user_id, created_at, id)',

  `CREATE TABLE revision (
    id TEXT PRIMARY KEY,
    design_id TEXT NOT NULL REFERENCES design (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    source TEXT NOT NULL,
    stats TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (design_id, number)
  ) STRICT`,
  'CREATE INDEX revision_by_source ON revision (source)',

  `CREATE TABLE artifact (
    revision_id TEXT NOT NULL REFERENCES revision (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    blob TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (revision_id, kind)
  ) STRICT`,
  'CREATE INDEX artifact_by_blob ON artifact (blob)',

  `CREATE TABLE answer (
    key_hash TEXT PRIMARY KEY,
    request_hash TEXT NOT NULL,
    status INTEGER NOT NULL,
    location TEXT,
    body TEXT NOT NULL,
    created_at TEXT NOT NULL
  ) STRICT`,
  'CREATE INDEX answer_by_age ON answer (created_at)',
];
