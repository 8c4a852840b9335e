import { CompiledQuery, sql } from 'kysely';
import type { Transaction } from '../database/database.ts';
import { isPostgres } from '../database/locks.ts';
import { InstallationError } from './installation-error.ts';
import type { AnyRow } from './read-rows.ts';
import type { ColumnType, CopiedTable } from './tables.ts';

/** SQLite allows 32,766 parameters. */
const MAX_PARAMETERS = 30_000;

/** Adds rows to a table. `end` is called after the last ones. */
export type RowWriter = {
  write(rows: readonly AnyRow[]): Promise<void>;
  end(): Promise<void>;
};

/** Creates the writer for a table, of SQLite or PostgreSQL. */
export async function createRowWriter(
  trx: Transaction,
  name: string,
  table: CopiedTable,
): Promise<RowWriter> {
  if (isPostgres(trx)) return createPostgresWriter(trx, name, table);
  // A row may reference one of the same table that follows it.
  await sql`PRAGMA defer_foreign_keys = ON`.execute(trx);
  return { write: (rows) => insertIntoSqlite(trx, name, table, rows), end: async () => {} };
}

async function insertIntoSqlite(
  trx: Transaction,
  name: string,
  { columns }: CopiedTable,
  rows: readonly AnyRow[],
): Promise<void> {
  const names = Object.keys(columns);
  const rowsPerStatement = Math.floor(MAX_PARAMETERS / names.length);
  const placeholders = `(${names.map(() => '?').join(', ')})`;
  for (let start = 0; start < rows.length; start += rowsPerStatement) {
    const part = rows.slice(start, start + rowsPerStatement);
    const values = part.map(() => placeholders).join(', ');
    const text = `INSERT INTO ${quote(name)} (${names.map(quote).join(', ')}) VALUES ${values}`;
    const parameters = part.flatMap((row) => names.map((column) => row[column]));
    await trx.executeQuery(CompiledQuery.raw(text, parameters));
  }
}

/**
 * Sends the rows of a batch as one JSON parameter, which takes much less time than a parameter for each value. PostgreSQL
 * checks foreign keys after each statement, so references to rows of the same table are set after all rows exist.
 */
function createPostgresWriter(trx: Transaction, name: string, table: CopiedTable): RowWriter {
  const columns = Object.entries(table.columns);
  const own = columns.filter(([column]) => table.references[column] === name);
  const later: AnyRow[] = [];
  const recordType = `r(${columns.map(([column, type]) => `${quote(column)} ${toPostgresType(type)}`).join(', ')})`;
  const names = columns.map(([column]) => quote(column)).join(', ');
  const run = (text: string, rows: readonly AnyRow[]) =>
    trx.executeQuery(CompiledQuery.raw(text, [JSON.stringify(rows)]));
  return {
    async write(rows) {
      assertNoNull(name, rows);
      for (const row of rows) if (own.some(([column]) => row[column] !== null)) later.push(row);
      const values = columns.map(([column]) =>
        own.some(([other]) => other === column) ? 'NULL' : `r.${quote(column)}`,
      );
      const text = `INSERT INTO ${quote(name)} (${names}) SELECT ${values.join(', ')} FROM json_to_recordset($1::json) AS ${recordType}`;
      await run(text, rows);
    },
    async end() {
      const set = own.map(([column]) => `${quote(column)} = r.${quote(column)}`).join(', ');
      const key = table.key.map((column) => `t.${quote(column)} = r.${quote(column)}`);
      const text = `UPDATE ${quote(name)} AS t SET ${set} FROM json_to_recordset($1::json) AS ${recordType} WHERE ${key.join(' AND ')}`;
      for (let start = 0; start < later.length; start += table.rowsPerBatch)
        await run(text, later.slice(start, start + table.rowsPerBatch));
    },
  };
}

function toPostgresType(type: ColumnType): string {
  const name = type.replace('?', '');
  return name === 'integer' || name === 'bigint' ? name : 'text';
}

/** PostgreSQL cannot store U+0000 in a text. */
function assertNoNull(name: string, rows: readonly AnyRow[]): void {
  for (const row of rows) {
    for (const [column, value] of Object.entries(row)) {
      if (typeof value !== 'string' || !value.includes('\0')) continue;
      throw new InstallationError(
        `A row of the table "${name}" contains the character U+0000 in "${column}", which PostgreSQL cannot store: ${JSON.stringify(row).slice(0, 200)}. Change it first.`,
      );
    }
  }
}

/** The names are those of `COPIED_TABLES`. */
const quote = (name: string) => `"${name}"`;
