import type { Transaction } from '../database/database.ts';

/** Starts an UPDATE of a design, which makes a new version of it. No other code updates designs. */
export function updateDesignRow(trx: Transaction, id: string) {
  return trx
    .updateTable('design')
    .set(({ eb }) => ({ version: eb('version', '+', 1) }))
    .where('id', '=', id);
}
