import type { ListQuery } from '@cloche/contract/pagination';
import { Problem } from '@cloche/contract/problem';
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { decodeCursor, encodeCursor } from './cursor-text.ts';

/** The start of a page: after the row with this time and id. */
export type ListCursor = { createdAt: string; id: string };

/** One page of a list that is sorted from newest to oldest. */
export type Pagination = { limit: number; after: ListCursor | undefined };

/** Number of items on a page if the query has no `limit`. */
export const DEFAULT_LIMIT = 50;

/**
 * Parses `?limit=&cursor=`.
 *
 * @throws {Problem} request.cursor
 */
export function parsePagination(query: ListQuery): Pagination {
  return {
    limit: query.limit ?? DEFAULT_LIMIT,
    after: query.cursor === undefined ? undefined : parseCursor(query.cursor),
  };
}

/** The columns that a list is sorted by, from newest to oldest unless it is `ascending`. */
type ListOrder = { createdAt?: string; id?: string; ascending?: boolean };

/** Returns the condition that a row comes after the cursor. */
export function afterCursor(
  { after }: Pick<Pagination, 'after'>,
  { createdAt = 'created_at', id = 'id', ascending = false }: ListOrder = {},
) {
  // biome-ignore lint/suspicious/noExplicitAny: for every table that has the two columns
  return (builder: ExpressionBuilder<any, any>): Expression<SqlBool> =>
    after === undefined
      ? sql<SqlBool>`1 = 1`
      : builder(
          builder.refTuple(createdAt, id),
          ascending ? '>' : '<',
          builder.tuple(after.createdAt, after.id),
        );
}

/** Returns a cursor as text. */
export function formatCursor({ createdAt, id }: ListCursor): string {
  return encodeCursor([createdAt, id]);
}

/** The time in a cursor is not checked: the row that it was made from may be damaged. */
function parseCursor(cursor: string): ListCursor {
  const [createdAt, id, ...rest] = decodeCursor(cursor) ?? [];
  if (createdAt !== undefined && id !== undefined && rest.length === 0) return { createdAt, id };
  throw new Problem('request.cursor', {
    field: 'query.cursor',
    detail:
      'query.cursor: send the nextCursor of the previous page unchanged, or no cursor for the first page.',
  });
}
