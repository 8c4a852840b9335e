import type { Transaction } from '../database/database.ts';

/**
 * Starts an UPDATE of tokens, which makes a new version of each. Recording the use of a token makes none: it
 * changes nothing that a request can change.
 */
export function updateTokenRows(trx: Transaction, ids: readonly string[]) {
  return trx
    .updateTable('token')
    .set(({ eb }) => ({ version: eb('version', '+', 1) }))
    .where('id', 'in', ids);
}
