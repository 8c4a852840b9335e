import type { DesignQuery } from '@cloche/contract/design';
import type { Database, DesignRow } from '../database/database.ts';
import { isPostgres } from '../database/locks.ts';
import { DEFAULT_LIMIT } from '../http/pagination.ts';
import { formatQueryCursor, parseQueryCursor } from '../http/query-cursor.ts';
import { foldCase } from './fold-case.ts';

const DEFAULT_SORT = '-createdAt';

const SORT_COLUMNS = {
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  name: 'sort_name',
} as const;

/** Which designs to list. */
export type DesignSearch = DesignQuery & {
  user: string;
  /** Only the designs with these ids. */
  onlyIds: readonly string[] | undefined;
};

/**
 * Finds one page of the designs of a user, and the cursor of the next page. Each order has an index, and
 * so have the filters by tag and external id.
 *
 * @throws {Problem} request.cursor
 */
export async function searchDesigns(
  db: Database,
  search: DesignSearch,
): Promise<{ rows: DesignRow[]; nextCursor: string | null }> {
  const { limit = DEFAULT_LIMIT, cursor, ...filters } = search;
  const sort = search.sort ?? DEFAULT_SORT;
  const column = SORT_COLUMNS[sort.replace('-', '') as keyof typeof SORT_COLUMNS];
  const query = { ...filters, sort };
  const after = cursor === undefined ? undefined : parseQueryCursor(cursor, query, 2);
  // One more row than the page has, to know whether there is a next page.
  const rows = await buildSearch(db, {
    ...filters,
    limit: limit + 1,
    column,
    sort,
    after,
  }).execute();
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasNextPage = rows.length > limit && last !== undefined;
  return {
    rows: page,
    nextCursor: hasNextPage ? formatQueryCursor(query, [last[column], last.id]) : null,
  };
}

type SearchPage = Omit<DesignSearch, 'cursor' | 'limit' | 'sort'> & {
  limit: number;
  sort: string;
  column: (typeof SORT_COLUMNS)[keyof typeof SORT_COLUMNS];
  /** The sorted column and the id of the row before this page. */
  after: string[] | undefined;
};

/** Builds the query of a page. Exported to test the plan of the query. */
export function buildSearch(db: Database, search: SearchPage) {
  const { user, onlyIds, q, tag, externalId, sort, column, after, limit } = search;
  const direction = sort.startsWith('-') ? 'desc' : 'asc';
  const [lastValue = '', lastId = ''] = after ?? [];
  const findText = isPostgres(db) ? 'strpos' : 'instr';
  return selectDesigns(db, user, tag)
    .where('design.user_id', '=', user)
    .$if(onlyIds !== undefined, (query) => query.where('design.id', 'in', onlyIds ?? []))
    .$if(externalId !== undefined, (query) => query.where('external_id', '=', externalId ?? ''))
    .$if(q !== undefined, (query) =>
      query.where(({ eb, val, fn }) =>
        // Not LIKE, in which "%" and "_" match any text.
        eb(fn<number>(findText, ['search_text', val(foldCase(q ?? ''))]), '>', 0),
      ),
    )
    .$if(after !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple(`design.${column}`, 'design.id'),
          direction === 'desc' ? '<' : '>',
          tuple(lastValue, lastId),
        ),
      ),
    )
    .orderBy(`design.${column}`, direction)
    .orderBy('design.id', direction)
    .limit(limit);
}

/** With a tag, starts at the rows of that tag: CROSS JOIN fixes the order of the tables in SQLite. */
function selectDesigns(db: Database, user: string, tag: string | undefined) {
  const designs = db.selectFrom('design').selectAll('design');
  if (tag === undefined) return designs;
  return db
    .selectFrom('design_tag')
    .crossJoin('design')
    .where('design_tag.user_id', '=', user)
    .where('design_tag.tag', '=', tag)
    .whereRef('design.id', '=', 'design_tag.design_id')
    .selectAll('design') as unknown as typeof designs;
}
