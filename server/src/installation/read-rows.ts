import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';
import { COPIED_TABLES, type CopiedTable } from './tables.ts';

/** A row of any table. */
export type AnyRow = Readonly<Record<string, string | number | null>>;

/** The rows of a table: their number, and a hash of all values in the order of the primary key. */
export type TableSummary = { count: number; sha256: string };

/** Called with the number of rows that were read or written since the last call. */
export type OnRows = (count: number) => void;

/** Reads all rows of a table in the order of its primary key. */
export async function* readBatches(
  database: Database | Transaction,
  name: string,
  { key, columns, rowsPerBatch }: CopiedTable,
): AsyncGenerator<AnyRow[]> {
  const keyColumns = sql.join(key.map((column) => sql.ref(column)));
  const all = sql.join(Object.keys(columns).map((column) => sql.ref(column)));
  for (let last: AnyRow | undefined; ; ) {
    const row = last;
    const condition =
      row === undefined
        ? sql``
        : sql`WHERE (${keyColumns}) > (${sql.join(key.map((column) => row[column]))})`;
    const { rows } = await sql<AnyRow>`
      SELECT ${all} FROM ${sql.table(name)} ${condition}
      ORDER BY ${keyColumns} LIMIT ${sql.lit(rowsPerBatch)}`.execute(database);
    if (rows.length > 0) yield rows;
    // Queries of SQLite are synchronous: timers and connections would wait for the last row.
    await setImmediate();
    if (rows.length < rowsPerBatch) return;
    last = rows.at(-1);
  }
}

/** Counts the rows of a table. */
export async function countRows(database: Database | Transaction, name: string): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`SELECT count(*) AS count FROM ${sql.table(name)}`.execute(database);
  return rows[0]?.count ?? 0;
}

/** Counts the rows of all tables that are copied. */
export async function countAllRows(
  database: Database | Transaction,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of COPIED_TABLES.keys()) counts[name] = await countRows(database, name);
  return counts;
}

/** Computes the summary of a table from its batches. */
export class RowHash {
  readonly #hash = createHash('sha256');
  readonly #columns: readonly string[];
  #count = 0;

  constructor({ columns }: CopiedTable) {
    this.#columns = Object.keys(columns);
  }

  update(rows: readonly AnyRow[]): void {
    this.#count += rows.length;
    const values = rows.map((row) => this.#columns.map((column) => row[column]));
    // Each row by itself: the sizes of batches make no difference.
    for (const row of values) this.#hash.update(`${JSON.stringify(row)}\n`);
  }

  digest(): TableSummary {
    return { count: this.#count, sha256: this.#hash.digest('hex') };
  }
}

/** Reads all rows of a table, and returns their number and hash. */
export async function summarizeTable(
  database: Database | Transaction,
  name: string,
  table: CopiedTable,
): Promise<TableSummary> {
  const hash = new RowHash(table);
  for await (const rows of readBatches(database, name, table)) hash.update(rows);
  return hash.digest();
}
