import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';
import type { OnProgress } from './check-blobs.ts';
import { type AnyRow, countRows, readBatches } from './read-rows.ts';
import { COPIED_TABLES, type ColumnType, type CopiedTable } from './tables.ts';

/** What is wrong with a row: `key` contains the values of its primary key. */
export type RowDefect = { table: string; key: string; reason: string };

/** More are not listed. */
const MAX_DEFECTS = 1000;
const MAX_INT32 = 2 ** 31;

/** Checks each value of all rows, and that the rows exist that others reference. */
export async function checkRows(
  database: Database | Transaction,
  onProgress: OnProgress,
): Promise<{ counts: Record<string, number>; defects: RowDefect[] }> {
  const counts: Record<string, number> = {};
  const defects: RowDefect[] = [];
  for (const [name, table] of COPIED_TABLES) {
    const total = await countRows(database, name);
    let count = 0;
    for await (const rows of readBatches(database, name, table)) {
      for (const row of rows) {
        const reason = findRowDefect(row, name, table);
        if (reason !== undefined) defects.push({ table: name, key: toKey(row, table), reason });
      }
      count += rows.length;
      onProgress(`rows of ${name} checked`, count, total);
      if (defects.length > MAX_DEFECTS) return { counts, defects };
    }
    if (count !== total) {
      const reason = `${total - count} rows have no primary key`;
      defects.push({ table: name, key: '', reason });
    }
    defects.push(...(await findMissingRows(database, name, table)));
    counts[name] = total;
  }
  return { counts, defects };
}

function findRowDefect(row: AnyRow, name: string, table: CopiedTable): string | undefined {
  for (const [column, type] of Object.entries(table.columns)) {
    const reason = findValueDefect(row[column], type);
    if (reason !== undefined) return `"${column}" ${reason}`;
  }
  for (const [column, sizeColumn] of Object.entries(table.blobs)) {
    if (row[column] !== null && Number(row[sizeColumn] ?? -1) < 0)
      return `"${sizeColumn}" is not a size`;
  }
  return name === 'early_preview' ? findPreviewDefect(row) : undefined;
}

function findValueDefect(value: unknown, type: ColumnType): string | undefined {
  if (value === null) return type.endsWith('?') ? undefined : 'is null';
  const name = type.replace('?', '');
  if (name === 'integer' || name === 'bigint') {
    const isInRange = name === 'bigint' || Math.abs(Number(value)) < MAX_INT32;
    return Number.isSafeInteger(value) && isInRange ? undefined : 'is not an integer in its range';
  }
  if (typeof value !== 'string') return 'is not text';
  if (name === 'sha256') return /^[0-9a-f]{64}$/.test(value) ? undefined : 'is not a SHA-256';
  return name === 'json' && !isJson(value) ? 'is not JSON' : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The bytes of an early preview are in its row. */
function findPreviewDefect({ content, blob, size_bytes }: AnyRow): string | undefined {
  const bytes = Buffer.from(String(content), 'base64');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return sha256 === blob && bytes.length === size_bytes
    ? undefined
    : '"content" has other bytes than "blob" and "size_bytes" say';
}

async function findMissingRows(
  database: Database | Transaction,
  name: string,
  { key, references }: CopiedTable,
): Promise<RowDefect[]> {
  const defects: RowDefect[] = [];
  for (const [column, target] of Object.entries(references)) {
    const { rows } = await sql<AnyRow>`
      SELECT ${sql.join(key.map((part) => sql.ref(`r.${part}`)))} FROM ${sql.table(name)} AS r
      WHERE ${sql.ref(`r.${column}`)} IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM ${sql.table(target)} AS t WHERE t.id = ${sql.ref(`r.${column}`)})
      LIMIT ${sql.lit(MAX_DEFECTS)}`.execute(database);
    for (const row of rows) {
      const values = key.map((part) => row[part]).join(', ');
      const reason = `"${column}" names a row of "${target}" that does not exist`;
      defects.push({ table: name, key: values, reason });
    }
  }
  return defects;
}

function toKey(row: AnyRow, { key }: CopiedTable): string {
  return key.map((column) => row[column]).join(', ');
}
