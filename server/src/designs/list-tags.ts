import type { DesignTagList } from '@cloche/contract/tag';
import type { Database } from '../database/database.ts';
import { DEFAULT_LIMIT } from '../http/pagination.ts';
import { formatQueryCursor, parseQueryCursor } from '../http/query-cursor.ts';
import type { DesignSearch } from './design-search.ts';

type TagSearch = Pick<DesignSearch, 'user' | 'onlyIds' | 'limit' | 'cursor'>;

/**
 * Lists one page of the tags of a user, in the order of their code points, with the number of designs. Reads only the
 * rows of these tags, from an index.
 *
 * @throws {Problem} request.cursor
 */
export async function listTags(
  db: Database,
  { limit = DEFAULT_LIMIT, cursor, ...search }: TagSearch,
): Promise<DesignTagList> {
  const query = { list: 'tags' };
  const [after] = cursor === undefined ? [] : parseQueryCursor(cursor, query, 1);
  // One more than the page has, to know whether there is a next page.
  const rows = await buildTagQuery(db, { ...search, after, limit: limit + 1 }).execute();
  const items = rows.slice(0, limit).map(({ tag, designs }) => ({ tag, designs: Number(designs) }));
  const last = items.at(-1);
  const hasNextPage = rows.length > limit && last !== undefined;
  return { items, nextCursor: hasNextPage ? formatQueryCursor(query, [last.tag]) : null };
}

type TagPage = Pick<DesignSearch, 'user' | 'onlyIds'> & {
  /** The tag before this page. */
  after: string | undefined;
  limit: number;
};

/** Builds the query of a page. Exported to test the plan of the query. */
export function buildTagQuery(db: Database, { user, onlyIds, after, limit }: TagPage) {
  return db
    .selectFrom('design_tag')
    .select(({ fn }) => ['tag', fn.countAll().as('designs')])
    .where('user_id', '=', user)
    .$if(onlyIds !== undefined, (query) => query.where('design_id', 'in', onlyIds ?? []))
    .$if(after !== undefined, (query) => query.where('tag', '>', after ?? ''))
    .groupBy('tag')
    .orderBy('tag')
    .limit(limit);
}
