import { type Kysely, sql } from 'kysely';

/** Allows several artifacts of one kind, which differ by their level. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
}

// SQLite cannot change a primary key, so the table is created again.
const STATEMENTS = [
  `CREATE TABLE new_artifact (
    revision_id TEXT NOT NULL REFERENCES revision (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    level INTEGER NOT NULL DEFAULT 0,
    blob TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    width INTEGER,
    height INTEGER,
    PRIMARY KEY (revision_id, kind, level)
  ) STRICT`,
  `INSERT INTO new_artifact (revision_id, kind, blob, size_bytes, width, height)
    SELECT revision_id, kind, blob, size_bytes, width, height FROM artifact`,
  'DROP TABLE artifact',
  'ALTER TABLE new_artifact RENAME TO artifact',
  'CREATE INDEX artifact_by_blob ON artifact (blob)',
];
