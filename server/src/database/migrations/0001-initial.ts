import { type Kysely, sql } from 'kysely';

/** Creates users, tokens, designs with their revisions and artifacts, jobs, and idempotency keys. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
}

// `user` is a reserved word in PostgreSQL, so it is quoted.
const STATEMENTS = [
  `CREATE TABLE "user" (
    id TEXT PRIMARY KEY,
    created_at TEXT NOT NULL
  ) STRICT`,

  `CREATE TABLE token (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES "user" (id),
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
    user_id TEXT NOT NULL REFERENCES "user" (id),
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
    status TEXT NOT NULL CHECK (status IN ('queued', 'processing', 'ready', 'failed')),
    source_blob TEXT NOT NULL,
    source_size_bytes INTEGER NOT NULL,
    detected_format TEXT NOT NULL,
    stats TEXT,
    report TEXT,
    poster_placeholder TEXT,
    problem TEXT,
    created_at TEXT NOT NULL,
    UNIQUE (design_id, number)
  ) STRICT`,
  'CREATE INDEX revision_by_source_blob ON revision (source_blob)',

  `CREATE TABLE artifact (
    revision_id TEXT NOT NULL REFERENCES revision (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    blob TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    width INTEGER,
    height INTEGER,
    PRIMARY KEY (revision_id, kind)
  ) STRICT`,
  'CREATE INDEX artifact_by_blob ON artifact (blob)',

  `CREATE TABLE job (
    id TEXT PRIMARY KEY,
    revision_id TEXT NOT NULL UNIQUE REFERENCES revision (id) ON DELETE CASCADE,
    attempts INTEGER NOT NULL,
    due_at TEXT NOT NULL,
    leased_until TEXT,
    created_at TEXT NOT NULL
  ) STRICT`,
  'CREATE INDEX job_by_creation ON job (created_at, id)',

  `CREATE TABLE idempotency_key (
    key_hash TEXT PRIMARY KEY,
    request_hash TEXT NOT NULL,
    status INTEGER NOT NULL,
    location TEXT,
    body TEXT NOT NULL,
    created_at TEXT NOT NULL
  ) STRICT`,
  'CREATE INDEX idempotency_key_by_age ON idempotency_key (created_at)',
];
