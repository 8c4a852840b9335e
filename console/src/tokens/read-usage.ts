import type { EmbedUsage, EmbedUsageList } from '@cloche/contract/embed-usage';
import type { ApiClient } from '../api/api-client.ts';

const PAGE_SIZE = 200;

export type UsageOptions = {
  by: string;
  /** The first and the last day. */
  from: string;
  to: string;
  maxPages?: number;
  descendants?: boolean;
};

/** The groups of a usage list. There are more if `isCut`. */
export type UsageGroups = { items: EmbedUsage[]; isCut: boolean };

/** Reads the pages of a usage list, which is sorted by the names of the groups. */
export async function readUsage(
  api: Pick<ApiClient, 'getJson'>,
  tokenId: string,
  { by, from, to, maxPages = Number.POSITIVE_INFINITY, descendants = false }: UsageOptions,
): Promise<UsageGroups> {
  const items: EmbedUsage[] = [];
  const query = new URLSearchParams({ by, from, to, limit: String(PAGE_SIZE) });
  if (descendants) query.set('descendants', 'true');
  for (let page = 0; page < maxPages; page += 1) {
    const list = await api.getJson<EmbedUsageList>(`/v1/tokens/${tokenId}/usage?${query}`);
    items.push(...list.items);
    if (list.nextCursor === null) return { items, isCut: false };
    query.set('cursor', list.nextCursor);
  }
  return { items, isCut: true };
}
