import type { Tables } from '../database/database.ts';

/** What a column contains. `?`: or null. `integer` has 32 bits; a `bigint` is less than 2 ** 53. */
export type ColumnType = `${'text' | 'integer' | 'bigint' | 'json' | 'sha256'}${'' | '?'}`;

/** A table that backups contain and that a move copies. */
export type CopiedTable = {
  /** The columns of the primary key. */
  key: readonly string[];
  columns: Readonly<Record<string, ColumnType>>;
  /** The table whose `id` a column contains, unless it is null. */
  references: Readonly<Record<string, string>>;
  /** The columns with references to blobs, and those with the sizes of the blobs. */
  blobs: Readonly<Record<string, string>>;
  /** Fewer for rows that may be large. */
  rowsPerBatch: number;
};

type Column<Name extends keyof Tables> = keyof Tables[Name] & string;

type TableDescription<Name extends keyof Tables> =
  | { leftOut: string }
  | {
      key: readonly Column<Name>[];
      columns: Record<Column<Name>, ColumnType>;
      references?: { [C in Column<Name>]?: keyof Tables };
      blobs?: { [C in Column<Name>]?: Column<Name> };
      rowsPerBatch?: number;
    };

const ROWS_PER_BATCH = 1000;

/**
 * Every table: its columns, or why backups and moves leave it out. A row is after those that it references, except
 * `design.revision_id`, which is not a foreign key of the database.
 */
const DESCRIPTIONS: { [Name in keyof Tables]: TableDescription<Name> } = {
  user: {
    key: ['id'],
    columns: {
      id: 'text',
      name: 'text',
      operator: 'integer',
      created_at: 'text',
      disabled_at: 'text?',
      max_megabytes: 'integer?',
      max_designs: 'integer?',
    },
  },
  token: {
    key: ['id'],
    columns: {
      id: 'text',
      user_id: 'text',
      name: 'text',
      hash: 'sha256',
      capabilities: 'json',
      origins: 'json',
      designs: 'json?',
      created_at: 'text',
      expires_at: 'text?',
      revoked_at: 'text?',
      last_used_at: 'text?',
      seen_in_browser_at: 'text?',
      issued_by: 'text?',
      replaces: 'text?',
      replaced_by: 'text?',
      replaced_at: 'text?',
      scope_version: 'integer',
      version: 'integer',
    },
    references: { user_id: 'user', issued_by: 'token', replaces: 'token', replaced_by: 'token' },
  },
  token_origin: {
    key: ['token_id', 'origin'],
    columns: { token_id: 'text', origin: 'text', last_used_at: 'text' },
    references: { token_id: 'token' },
  },
  design: {
    key: ['id'],
    columns: {
      id: 'text',
      user_id: 'text',
      name: 'text',
      description: 'text',
      external_id: 'text?',
      tags: 'json',
      metadata: 'json',
      max_triangles: 'integer?',
      max_texture_size: 'integer?',
      shared: 'integer',
      viewer: 'json',
      status: 'text',
      revision_id: 'text?',
      last_revision: 'integer',
      chosen_at_revision: 'integer',
      sort_name: 'text',
      search_text: 'text',
      created_at: 'text',
      updated_at: 'text',
      version: 'integer',
    },
    references: { user_id: 'user', revision_id: 'revision' },
  },
  design_tag: {
    key: ['user_id', 'tag', 'design_id'],
    columns: { user_id: 'text', tag: 'text', design_id: 'text' },
    references: { user_id: 'user', design_id: 'design' },
  },
  revision: {
    key: ['id'],
    columns: {
      id: 'text',
      design_id: 'text',
      number: 'integer',
      status: 'text',
      source_blob: 'sha256',
      source_size_bytes: 'bigint',
      file_name: 'text?',
      detected_format: 'json',
      stats: 'json?',
      report: 'json?',
      poster_placeholder: 'json?',
      problem: 'json?',
      created_at: 'text',
    },
    references: { design_id: 'design' },
    blobs: { source_blob: 'source_size_bytes' },
  },
  artifact: {
    key: ['revision_id', 'kind', 'level'],
    columns: {
      revision_id: 'text',
      kind: 'text',
      level: 'integer',
      blob: 'sha256',
      size_bytes: 'bigint',
      width: 'integer?',
      height: 'integer?',
      brotli_blob: 'sha256?',
      brotli_size_bytes: 'bigint?',
    },
    references: { revision_id: 'revision' },
    blobs: { blob: 'size_bytes', brotli_blob: 'brotli_size_bytes' },
  },
  early_preview: {
    key: ['revision_id'],
    columns: {
      revision_id: 'text',
      // No blob store has it: the bytes are in `content`.
      blob: 'sha256',
      size_bytes: 'integer',
      stats: 'json',
      content: 'text',
    },
    references: { revision_id: 'revision' },
    rowsPerBatch: 20,
  },
  job: {
    key: ['id'],
    columns: {
      id: 'text',
      revision_id: 'text',
      attempts: 'integer',
      due_at: 'text',
      leased_until: 'text?',
      node: 'text?',
      created_at: 'text',
    },
    references: { revision_id: 'revision' },
  },
  idempotency_key: {
    key: ['key_hash'],
    columns: {
      key_hash: 'text',
      request_hash: 'text',
      status: 'integer',
      location: 'text?',
      etag: 'text?',
      body: 'text',
      created_at: 'text',
    },
    rowsPerBatch: 100,
  },
  embed_usage: {
    // The token or the design may not exist any more.
    key: ['token_id', 'origin', 'day', 'design_id'],
    columns: {
      token_id: 'text',
      origin: 'text',
      day: 'text',
      design_id: 'text',
      views: 'bigint',
      bytes: 'bigint',
      first_seen_at: 'text',
      last_seen_at: 'text',
    },
  },
  // The files may be in the same place after a move, and after a restore.
  blob_removal: {
    key: ['id'],
    columns: { id: 'text', blob: 'sha256', generation: 'integer', created_at: 'text' },
  },
  session: { leftOut: 'sessions: one that was ended since must not be valid again' },
  sign_in_link: { leftOut: 'one-time links, which are valid for ten minutes' },
  change: { leftOut: 'events for the processes that run at the moment' },
  node: { leftOut: 'the processes that run at the moment' },
  retained_blob: { leftOut: 'blobs that a process is storing at the moment' },
  backup: { leftOut: 'backups that are being made at the moment' },
  upload: { leftOut: 'resumable uploads, whose clients begin them again' },
  upload_segment: { leftOut: 'the bytes of resumable uploads, which are not blobs' },
  upload_reservation: { leftOut: 'uploads in one request that are in progress at the moment' },
  lease: { leftOut: 'tasks that a process runs at the moment' },
  metric_sample: { leftOut: 'the metrics of the last day of this installation' },
  completed_backup: { leftOut: 'the last backup of this installation' },
};

/** The tables that backups and moves contain. A row is after those that it references. */
export const COPIED_TABLES: ReadonlyMap<string, CopiedTable> = new Map(
  Object.entries(DESCRIPTIONS).flatMap(([name, description]): [string, CopiedTable][] =>
    'leftOut' in description
      ? []
      : [[name, { references: {}, blobs: {}, rowsPerBatch: ROWS_PER_BATCH, ...description }]],
  ),
);

/** Why the other tables are not in backups and moves. */
export const TABLES_LEFT_OUT: ReadonlyMap<string, string> = new Map(
  Object.entries(DESCRIPTIONS).flatMap(([name, description]): [string, string][] =>
    'leftOut' in description ? [[name, description.leftOut]] : [],
  ),
);

/** Returns a table of `COPIED_TABLES`. */
export function getCopiedTable(name: string): CopiedTable {
  const table = COPIED_TABLES.get(name);
  if (table === undefined) throw new Error(`The table ${name} is not copied.`);
  return table;
}
