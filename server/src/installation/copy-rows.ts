import type { Database, Transaction } from '../database/database.ts';
import { isPostgres } from '../database/locks.ts';
import { InstallationError } from './installation-error.ts';
import { type OnRows, RowHash, readBatches, summarizeTable } from './read-rows.ts';
import { COPIED_TABLES } from './tables.ts';
import { createRowWriter } from './write-rows.ts';

/** Runs an operation on one state of the database, whatever others change meanwhile. */
export function readSnapshot<T>(
  database: Database,
  operation: (snapshot: Transaction) => Promise<T>,
): Promise<T> {
  const transaction = database.transaction().setAccessMode('read only');
  // In SQLite, the first query of a transaction determines the state.
  if (!isPostgres(database)) return transaction.execute(operation);
  return transaction.setIsolationLevel('repeatable read').execute(operation);
}

/**
 * Copies the rows of all tables to empty tables, and compares what was read with what was written. Both sides are
 * transactions: the target has all rows or none.
 *
 * @param onRows called with the number of rows: of the source, then the same of the target
 * @returns the number of rows of each table
 */
export async function copyRows(
  source: Database | Transaction,
  target: Transaction,
  onRows: OnRows = () => {},
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [name, table] of COPIED_TABLES) {
    const hash = new RowHash(table);
    const writer = await createRowWriter(target, name, table);
    for await (const rows of readBatches(source, name, table)) {
      hash.update(rows);
      await writer.write(rows);
      onRows(rows.length);
    }
    await writer.end();
    const expected = hash.digest();
    const written = await summarizeTable(target, name, table);
    if (expected.count !== written.count || expected.sha256 !== written.sha256) {
      throw new InstallationError(
        `The rows of the table "${name}" were not copied correctly: ${expected.count} were read, and ${written.count} are there, or their values differ. Nothing was changed.`,
      );
    }
    counts[name] = expected.count;
  }
  return counts;
}
