import type { Transaction } from '../database/database.ts';

/**
 * Starts an UPDATE of a design, which makes a new version of it. No other code updates designs.
 *
 * @param version the version that was read. With another one, no row is updated
 */
export function updateDesignRow(trx: Transaction, id: string, version?: number) {
  return trx
    .updateTable('design')
    .set(({ eb }) => ({ version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .$if(version !== undefined, (query) => query.where('version', '=', version ?? 0));
}
