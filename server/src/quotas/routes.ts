import { Usage } from '@cloche/contract/usage';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Quotas, QuotaUsage } from './quotas.ts';

/** GET /v1/usage: what the user of the token stores, and may store. */
export const usageRoutes: FastifyPluginAsyncTypebox<{ quotas: Quotas }> = async (
  app,
  { quotas },
) => {
  app.get(
    '/',
    {
      config: { auth: ['read', 'write'] },
      schema: {
        tags: ['designs'],
        summary: 'Read usage and quotas',
        description:
          'What the user of the token stores, and its quotas. An upload that exceeds one is refused with `upload.quota`.',
        response: { 200: Usage },
      },
    },
    async ({ token: { user } }) => toUsage(user, await quotas.getUsage(user)),
  );
};

function toUsage(user: string, { stored, reserved, limits }: QuotaUsage): Usage {
  const toQuota = (name: 'bytes' | 'designs') => ({
    stored: stored[name],
    reserved: reserved[name],
    limit: limits[name] === 0 ? null : limits[name],
  });
  return { user, bytes: toQuota('bytes'), designs: toQuota('designs') };
}
