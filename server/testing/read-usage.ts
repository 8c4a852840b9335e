import assert from 'node:assert/strict';
import type { EmbedUsage } from '@cloche/contract/embed-usage';
import { sendRequest, type TestClient } from './requests.ts';

/** Reads all pages of the usage of a token. */
export async function readUsage(
  client: TestClient,
  tokenId: string,
  query = '',
): Promise<EmbedUsage[]> {
  const items: EmbedUsage[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const url = `/v1/tokens/${tokenId}/usage?${query}${cursor && `&cursor=${cursor}`}`;
    const response = await sendRequest(client, 'GET', url);
    assert.equal(response.statusCode, 200, response.body);
    const page: { items: EmbedUsage[]; nextCursor: string | null } = response.json();
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}
