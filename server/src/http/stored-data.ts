import { AssertionError } from 'node:assert/strict';
import type { UnreadableItem } from '@cloche/contract/pagination';
import { Problem } from '@cloche/contract/problem';

/** The rows of a list that can be shown, and those that are damaged. */
export type ReadItems<Item> = { items: Item[]; unreadable: UnreadableItem[] };

/**
 * Converts stored data, such as a row with JSON text.
 *
 * @param what the start of the problem's detail: `The design 8b0f…`
 * @throws {Problem} server.damaged, if it is not what the service writes: `convert` fails to parse it, or
 *   `assertResponse` fails
 */
export async function readStoredData<T>(what: string, convert: () => T | Promise<T>): Promise<T> {
  try {
    return await convert();
  } catch (cause) {
    if (!isDamage(cause)) throw cause;
    throw new Problem('server.damaged', { detail: `${what} is damaged in the database.`, cause });
  }
}

/** Converts the rows of a list. Damaged rows do not hide the others. */
export async function readStoredItems<Row, Item>(
  rows: readonly Row[],
  toIdentity: (row: Row) => { id: string; name: string },
  convert: (row: Row) => Promise<Item>,
): Promise<ReadItems<Item>> {
  const read: ReadItems<Item> = { items: [], unreadable: [] };
  const results = await Promise.allSettled(rows.map(convert));
  for (const [index, result] of results.entries()) {
    if (result.status === 'fulfilled') read.items.push(result.value);
    else if (!isDamagedError(result.reason)) throw result.reason;
    else {
      const detail = result.reason.message;
      read.unreadable.push({ ...toIdentity(rows[index] as Row), detail });
    }
  }
  return read;
}

/** JSON that cannot be parsed, a time that cannot be formatted, or a response that cannot be sent. */
function isDamage(error: unknown): boolean {
  return (
    error instanceof SyntaxError || error instanceof RangeError || error instanceof AssertionError
  );
}

function isDamagedError(error: unknown): error is Problem {
  return error instanceof Problem && error.code === 'server.damaged';
}
