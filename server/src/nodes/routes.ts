import { NodeList } from '@cloche/contract/node';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { assertOperator } from '../tokens/authorize.ts';
import { type NodeRecord, toNode } from './node.ts';

export type NodeRouteDependencies = {
  /** The nodes that have reported in the last hour. */
  listNodes(): Promise<NodeRecord[]>;
};

/** GET /v1/nodes: the processes of the service. */
export const nodeRoutes: FastifyPluginAsyncTypebox<NodeRouteDependencies> = async (
  app,
  { listNodes },
) => {
  app.get(
    '/',
    {
      config: { auth: 'read' },
      schema: {
        tags: ['health'],
        summary: 'List the nodes of the service',
        description:
          'With PostgreSQL: the processes that use the database, and that have reported in the last hour. With SQLite, the list is empty. For a token of an operator, without origins and designs.',
        response: { 200: NodeList },
      },
    },
    async ({ token }) => {
      assertOperator(token);
      return { nodes: (await listNodes()).map(toNode) };
    },
  );
};
