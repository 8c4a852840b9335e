import { defaultStringifySearch } from '@tanstack/react-router';

/** What the list of designs shows, as in the address of the page. */
export type DesignListSearch = { q?: string; tag?: string; sort?: string };

export const SORTS = [
  '-createdAt',
  'createdAt',
  '-updatedAt',
  'updatedAt',
  'name',
  '-name',
] as const;
type DesignSort = (typeof SORTS)[number];

const DEFAULT_SORT = '-createdAt';

/** The order of a list. An unknown one in the address is the default one. */
export function getSort({ sort }: DesignListSearch): DesignSort {
  return SORTS.find((known) => known === sort) ?? DEFAULT_SORT;
}

/** Whether a new design is the first one of the list. */
export function startsWithNewest(search: DesignListSearch): boolean {
  return !search.q && !search.tag && getSort(search) === DEFAULT_SORT;
}

/** The query of a page of the list. */
export function toQuery(
  search: DesignListSearch,
  limit: number,
  cursor: string | undefined,
): string {
  const query = new URLSearchParams({ limit: String(limit), sort: getSort(search) });
  if (search.q) query.set('q', search.q.slice(0, 200));
  if (search.tag) query.set('tag', search.tag.slice(0, 200));
  if (cursor !== undefined) query.set('cursor', cursor);
  return query.toString();
}

/** The address of a list. */
export function toListHref(search: DesignListSearch): string {
  return `/console/designs${defaultStringifySearch(search)}`;
}

/** The address of the page of a design. */
export function toDesignHref(id: string): string {
  return `/console/designs/${id}`;
}
