import { type Kysely, sql } from 'kysely';

/**
 * Adds tags, external ids, metadata and columns for searching and sorting to designs, the status
 * `cancelled` and the file name to revisions, and numbers of revisions that are never used again.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
  type Row = { id: string; name: string; description: string };
  const { rows } = await sql<Row>`SELECT id, name, description FROM design`.execute(database);
  for (const { id, name, description } of rows) {
    const searchText = `${foldCase(name)}\u001f${foldCase(description)}`;
    await sql`UPDATE design SET sort_name = ${toSortName(name)}, search_text = ${searchText} WHERE id = ${id}`.execute(
      database,
    );
  }
}

function toSortName(name: string): string {
  return Array.from(foldCase(name)).slice(0, 80).join('');
}

/** As in designs/fold-case.ts. A migration does not change when other code does. */
function foldCase(text: string): string {
  const upperCase = text.normalize('NFKC').toUpperCase();
  return Array.from(upperCase, (character) => character.toLowerCase())
    .join('')
    .replaceAll('i\u0307', 'i')
    .normalize('NFC');
}

// SQLite cannot change a CHECK constraint, so the tables are created again. They are dropped in an
// order in which no row refers to a dropped one: dropping a table deletes what refers to it.
const STATEMENTS = [
  `CREATE TABLE new_design (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES "user" (id),
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    external_id TEXT,
    tags TEXT NOT NULL,
    metadata TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('queued', 'processing', 'ready', 'failed', 'cancelled')),
    revision_id TEXT,
    last_revision INTEGER NOT NULL,
    chosen_at_revision INTEGER NOT NULL,
    sort_name TEXT NOT NULL,
    search_text TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  ) STRICT`,
  `INSERT INTO new_design
    SELECT id, user_id, name, description, NULL, '[]', '{}', status, revision_id,
      (SELECT coalesce(max(number), 0) FROM revision WHERE design_id = design.id),
      0, '', '', created_at, updated_at
    FROM design`,

  `CREATE TABLE new_revision (
    id TEXT PRIMARY KEY,
    design_id TEXT NOT NULL REFERENCES new_design (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('queued', 'processing', 'ready', 'failed', 'cancelled')),
    source_blob TEXT NOT NULL,
    source_size_bytes INTEGER NOT NULL,
    file_name TEXT,
    detected_format TEXT NOT NULL,
    stats TEXT,
    report TEXT,
    poster_placeholder TEXT,
    problem TEXT,
    created_at TEXT NOT NULL,
    UNIQUE (design_id, number)
  ) STRICT`,
  `INSERT INTO new_revision
    SELECT id, design_id, number, status, source_blob, source_size_bytes, NULL, detected_format,
      stats, report, poster_placeholder, problem, created_at
    FROM revision`,

  `CREATE TABLE new_artifact (
    revision_id TEXT NOT NULL REFERENCES new_revision (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    blob TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    width INTEGER,
    height INTEGER,
    PRIMARY KEY (revision_id, kind)
  ) STRICT`,
  'INSERT INTO new_artifact SELECT revision_id, kind, blob, size_bytes, width, height FROM artifact',

  `CREATE TABLE new_job (
    id TEXT PRIMARY KEY,
    revision_id TEXT NOT NULL UNIQUE REFERENCES new_revision (id) ON DELETE CASCADE,
    attempts INTEGER NOT NULL,
    due_at TEXT NOT NULL,
    leased_until TEXT,
    created_at TEXT NOT NULL
  ) STRICT`,
  'INSERT INTO new_job SELECT id, revision_id, attempts, due_at, leased_until, created_at FROM job',

  ...['job', 'artifact', 'revision', 'design'].map((table) => `DROP TABLE ${table}`),
  ...['design', 'revision', 'artifact', 'job'].map(
    (table) => `ALTER TABLE new_${table} RENAME TO ${table}`,
  ),
  'CREATE INDEX revision_by_source_blob ON revision (source_blob)',
  'CREATE INDEX artifact_by_blob ON artifact (blob)',
  'CREATE INDEX job_by_creation ON job (created_at, id)',

  // For each order of a list. The other columns of a list are searched within the designs of a user.
  'CREATE INDEX design_by_user ON design (user_id, created_at, id)',
  'CREATE INDEX design_by_update ON design (user_id, updated_at, id)',
  'CREATE INDEX design_by_name ON design (user_id, sort_name, id)',
  'CREATE UNIQUE INDEX design_by_external_id ON design (user_id, external_id)',

  // The tags of design.tags, for the filter by tag.
  `CREATE TABLE design_tag (
    user_id TEXT NOT NULL,
    tag TEXT NOT NULL,
    design_id TEXT NOT NULL REFERENCES design (id) ON DELETE CASCADE,
    PRIMARY KEY (user_id, tag, design_id)
  ) STRICT`,
  'CREATE INDEX design_tag_by_design ON design_tag (design_id)',
];
