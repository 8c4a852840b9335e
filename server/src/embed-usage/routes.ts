import {
  type EmbedUsage,
  EmbedUsageList,
  EmbedUsageQuery,
  type UsageDimension,
} from '@cloche/contract/embed-usage';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { DEFAULT_LIMIT } from '../http/pagination.ts';
import { formatQueryCursor, parseQueryCursor } from '../http/query-cursor.ts';
import { assertMayManageToken, mayManageToken } from '../tokens/authorize.ts';
import { isRevoked, type StoredToken, type TokenRecord } from '../tokens/token.ts';
import { TokenIdParams } from '../tokens/token-id-params.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import { type EmbedUsageGroup, type EmbedUsageStore, USAGE_COLUMNS } from './embed-usage-store.ts';

export type EmbedUsageRouteDependencies = { tokens: TokenStore; embedUsage: EmbedUsageStore };

/** GET /v1/tokens/{id}/usage: the views of the embeds of a token. */
export const embedUsageRoutes: FastifyPluginAsyncTypebox<EmbedUsageRouteDependencies> = async (
  app,
  { tokens, embedUsage },
) => {
  app.get(
    '/:id/usage',
    {
      config: { auth: 'read' },
      schema: {
        tags: ['tokens'],
        summary: 'Read the usage of a token',
        description:
          'Views of its embeds and bytes sent to them, by origin, day and design, sorted by the values of `by`. Days are in UTC and are kept for 400 days. Also for a token that was revoked. Other nodes of the service add what they have counted every second.',
        params: TokenIdParams,
        querystring: EmbedUsageQuery,
        response: { 200: EmbedUsageList },
      },
    },
    async (request) => {
      const { params, query } = request;
      assertMayManageToken(request.token, await tokens.find(params.id));
      const { by: grouping = 'day', from, to, limit = DEFAULT_LIMIT, cursor } = query;
      const { descendants = false } = query;
      const by = grouping.split(',') as UsageDimension[];
      const filter = { tokenId: params.id, by, from, to, descendants };
      const after = cursor === undefined ? undefined : parseQueryCursor(cursor, filter, by.length);
      // On a full disk, what is stored can still be read. The next flush tries again and logs the error.
      await embedUsage.flush().catch(() => {});
      const children = descendants ? await tokens.findDescendants(params.id) : [];
      const included = children.filter((child) => isIncluded(request.token, child));
      const tokenIds = [params.id, ...included.map(({ id }) => id)];
      const groups = await embedUsage.list({ tokenIds, by, from, to }, limit + 1, after);
      const items = groups.slice(0, limit);
      const last = groups.length > limit ? items.at(-1) : undefined;
      return {
        items: items.map(toEmbedUsage),
        nextCursor: last === undefined ? null : formatQueryCursor(filter, toValues(last, by)),
      };
    },
  );
};

/** Whether the usage of a descendant is added. */
function isIncluded(caller: TokenRecord, descendant: StoredToken): boolean {
  return mayManageToken(caller, descendant) && !isRevoked(descendant);
}

function toValues(group: EmbedUsageGroup, by: readonly UsageDimension[]): string[] {
  return by.map((dimension) => group[USAGE_COLUMNS[dimension]] ?? '');
}

function toEmbedUsage(group: EmbedUsageGroup): EmbedUsage {
  const { origin, day, design_id, views, bytes, first_seen_at, last_seen_at } = group;
  return {
    ...(origin !== undefined && { origin }),
    ...(day !== undefined && { day }),
    ...(design_id !== undefined && { design: design_id }),
    views,
    bytes,
    firstSeenAt: first_seen_at,
    lastSeenAt: last_seen_at,
  };
}
