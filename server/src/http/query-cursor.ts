import { createHash } from 'node:crypto';
import { Problem } from '@cloche/contract/problem';
import { decodeCursor, encodeCursor } from './cursor-text.ts';

/**
 * Returns a cursor: the values of the sorted columns in the last row of a page. It is valid for this
 * query only, because the values mean something else in another one.
 */
export function formatQueryCursor(query: object, values: readonly string[]): string {
  return encodeCursor([hashQuery(query), ...values]);
}

/**
 * Returns the values in a cursor of this query.
 *
 * @throws {Problem} request.cursor
 */
export function parseQueryCursor(cursor: string, query: object, valueCount: number): string[] {
  const [queryHash, ...values] = decodeCursor(cursor) ?? [];
  if (values.length !== valueCount) {
    throw createCursorError('send the nextCursor of the previous page unchanged');
  }
  if (queryHash !== hashQuery(query)) {
    throw createCursorError('is of another query. Change neither the filters nor the order');
  }
  return values;
}

/** The numbers that a column of type `integer` can have in PostgreSQL. */
const MAX_INTEGER = 2 ** 31 - 1;

/**
 * Returns a number in a cursor, from 0.
 *
 * @throws {Problem} request.cursor
 */
export function parseCursorNumber(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number <= MAX_INTEGER) return number;
  throw createCursorError('send the nextCursor of the previous page unchanged');
}

function createCursorError(reason: string): Problem {
  return new Problem('request.cursor', {
    field: 'query.cursor',
    detail: `query.cursor: ${reason}, or send no cursor for the first page.`,
  });
}

function hashQuery(query: object): string {
  return createHash('sha256').update(JSON.stringify(query)).digest('base64url').slice(0, 12);
}
