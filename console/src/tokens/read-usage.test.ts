import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EmbedUsage, EmbedUsageList } from '@cloche/contract/embed-usage';
import type { ApiClient } from '../api/api-client.ts';
import { readUsage } from './read-usage.ts';

const DAYS = { from: '2026-05-01', to: '2026-05-04' };

/** Answers with the pages of a list, as the service does. */
function createApi(groups: readonly EmbedUsage[]) {
  const urls: URL[] = [];
  const getJson = async (path: string): Promise<EmbedUsageList> => {
    const url = new URL(path, 'http://cloche.test');
    urls.push(url);
    const start = Number(url.searchParams.get('cursor') ?? 0);
    const end = start + Number(url.searchParams.get('limit'));
    const nextCursor = end < groups.length ? String(end) : null;
    return { items: groups.slice(start, end), nextCursor };
  };
  return { urls, api: { getJson } as Pick<ApiClient, 'getJson'> };
}

const createGroups = (count: number): EmbedUsage[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ design: String(index), views: 1, bytes: 2, firstSeenAt: '', lastSeenAt: '' },
  }));

test('all pages are read, of the days between two days', async () => {
  const { urls, api } = createApi(createGroups(500));
  const { items, isCut } = await readUsage(api, 'tok_1', { by: 'design', ...DAYS });
  assert.equal(items.length, 500);
  assert.equal(isCut, false);
  assert.deepEqual(
    urls.map(({ pathname, searchParams }) => [pathname, Object.fromEntries(searchParams)]),
    ['', '200', '400'].map((cursor) => [
      '/v1/tokens/tok_1/usage',
      { by: 'design', ...DAYS, limit: '200', ...(cursor && { cursor }) },
    ]),
  );
});

test('a list that has more groups than were read is marked', async () => {
  for (const [count, isCut] of [
    [400, false],
    [401, true],
  ] as const) {
    const { api } = createApi(createGroups(count));
    const read = await readUsage(api, 'tok_1', { by: 'design', ...DAYS, maxPages: 2 });
    assert.deepEqual([read.items.length, read.isCut], [400, isCut]);
  }
});
