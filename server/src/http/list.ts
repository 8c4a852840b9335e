import type { ListQuery } from '@cloche/contract/list';
import { Problem } from '@cloche/contract/problem';
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';

/** Where a list goes on: behind the thing made at `time` with this `id`. */
export type Place = { time: string; id: string };

/** A part of a list that runs from the newest to the oldest. */
export type Page = { limit: number; after: Place | undefined };

const DEFAULT_LIMIT = 50;

/**
 * Reads `?limit=&cursor=`.
 * @throws {Problem} request.cursor
 */
export function readPage(query: ListQuery): Page {
  return {
    limit: query.limit ?? DEFAULT_LIMIT,
    after: query.cursor === undefined ? undefined : readCursor(query.cursor),
  };
}

/** The condition that rows are on the page or behind it, for tables with `created_at` and `id`. */
export function before({ after }: Page) {
  // biome-ignore lint/suspicious/noExplicitAny: serves every table that has the two columns
  return (e: ExpressionBuilder<any, any>): Expression<SqlBool> =>
    after === undefined
      ? sql<SqlBool>`1 = 1`
      : e(e.refTuple('created_at', 'id'), '<', e.tuple(after.time, after.id));
}

/** The cursor behind the last of `rows`, or null when the list may have ended with them. */
export function nextCursor(rows: readonly { createdAt: Date; id: string }[], page: Page) {
  const last = rows.at(-1);
  if (last === undefined || rows.length < page.limit) return null;
  return Buffer.from(`${last.createdAt.toISOString()} ${last.id}`).toString('base64url');
}

function readCursor(cursor: string): Place {
  const [time, id, ...rest] = Buffer.from(cursor, 'base64url').toString().split(' ');
  if (!time || !id || rest.length > 0 || Number.isNaN(Date.parse(time))) {
    throw new Problem('request.cursor', {
      field: 'query.cursor',
      detail:
        'query.cursor: pass the nextCursor of the page before as it is, or leave it out for the first page.',
    });
  }
  return { time, id };
}
