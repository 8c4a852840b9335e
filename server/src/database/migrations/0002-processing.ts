import { type Kysely, sql } from 'kysely';

/** Revisions that are on their way, what was done to them, and the jobs that do it. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
}

const STATEMENTS = [
  // SQLite cannot take NOT NULL off a column, so the table is made anew.
  `CREATE TABLE revision_2 (
    id TEXT PRIMARY KEY,
    design_id TEXT NOT NULL REFERENCES design (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('queued', 'processing', 'ready', 'failed')),
    source TEXT NOT NULL,
    source_bytes INTEGER NOT NULL,
    examined TEXT NOT NULL,
    stats TEXT,
    report TEXT,
    look TEXT,
    problem TEXT,
    created_at TEXT NOT NULL,
    UNIQUE (design_id, number)
  ) STRICT`,
  `INSERT INTO revision_2
    SELECT id, design_id, number, 'ready', source, stats ->> 'bytes', '{"format":"glb"}',
      stats, NULL, NULL, NULL, created_at
    FROM revision`,
  `CREATE TABLE artifact_2 (
    revision_id TEXT NOT NULL REFERENCES revision_2 (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    blob TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    width INTEGER,
    height INTEGER,
    PRIMARY KEY (revision_id, kind)
  ) STRICT`,
  'INSERT INTO artifact_2 SELECT revision_id, kind, blob, bytes, NULL, NULL FROM artifact',
  'DROP TABLE artifact',
  'DROP TABLE revision',
  'ALTER TABLE revision_2 RENAME TO revision',
  'ALTER TABLE artifact_2 RENAME TO artifact',
  'CREATE INDEX revision_by_source ON revision (source)',
  'CREATE INDEX artifact_by_blob ON artifact (blob)',

  // Answers kept for retries show designs as they were shown before.
  "DELETE FROM answer WHERE location LIKE '/v1/designs/%'",

  `CREATE TABLE job (
    id TEXT PRIMARY KEY,
    revision_id TEXT NOT NULL UNIQUE REFERENCES revision (id) ON DELETE CASCADE,
    attempts INTEGER NOT NULL,
    due_at TEXT NOT NULL,
    leased_until TEXT,
    created_at TEXT NOT NULL
  ) STRICT`,
  'CREATE INDEX job_by_turn ON job (created_at, id)',
];
