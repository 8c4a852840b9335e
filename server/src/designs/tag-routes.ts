import { ListQuery } from '@cloche/contract/pagination';
import { DesignTagList } from '@cloche/contract/tag';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../database/database.ts';
import { listTags } from './list-tags.ts';

/** GET /v1/tags: the tags of the designs that the token may read. */
export const tagRoutes: FastifyPluginAsyncTypebox<{ database: Database }> = async (
  app,
  { database },
) => {
  app.get(
    '/',
    {
      config: { auth: 'read' },
      schema: {
        tags: ['designs'],
        summary: 'List tags',
        description:
          'The tags of the designs that the token may read, with the number of these designs, in the order of their code points.',
        querystring: ListQuery,
        response: { 200: DesignTagList },
      },
    },
    async ({ token, query }) => {
      const { user, designs: onlyIds } = token;
      return listTags(database, { ...query, user, onlyIds });
    },
  );
};
