import type { ListQuery } from '@cloche/contract/pagination';
import { Problem } from '@cloche/contract/problem';
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';

/** Where a list goes on: behind the thing made at `time` with this `id`. */
export type ListCursor = { createdAt: string; id: string };

/** A part of a list that runs from the newest to the oldest. */
export type Pagination = { limit: number; after: ListCursor | undefined };

const DEFAULT_LIMIT = 50;

/**
 * Reads `?limit=&cursor=`.
 * @throws {Problem} request.cursor
 */
export function parsePagination(query: ListQuery): Pagination {
  return {
    limit: query.limit ?? DEFAULT_LIMIT,
    after: query.cursor === undefined ? undefined : parseCursor(query.cursor),
  };
}

/** The condition that rows are on the page or behind it, for tables with `created_at` and `id`. */
export function afterCursor({ after }: Pagination) {
  // biome-ignore lint/suspicious/noExplicitAny: serves every table that has the two columns
  return (e: ExpressionBuilder<any, any>): Expression<SqlBool> =>
    after === undefined
      ? sql<SqlBool>`1 = 1`
      : e(e.refTuple('created_at', 'id'), '<', e.tuple(after.createdAt, after.id));
}

/** The cursor behind the last of `rows`, or null when the list may have ended with them. */
export function toNextCursor(rows: readonly { createdAt: Date; id: string }[], page: Pagination) {
  const last = rows.at(-1);
  if (last === undefined || rows.length < page.limit) return null;
  return Buffer.from(`${last.createdAt.toISOString()} ${last.id}`).toString('base64url');
}

function parseCursor(cursor: string): ListCursor {
  const [createdAt, id, ...rest] = Buffer.from(cursor, 'base64url').toString().split(' ');
  if (!createdAt || !id || rest.length > 0 || Number.isNaN(Date.parse(createdAt))) {
    throw new Problem('request.cursor', {
      field: 'query.cursor',
      detail:
        'query.cursor: pass the nextCursor of the page before as it is, or leave it out for the first page.',
    });
  }
  return { createdAt, id };
}
