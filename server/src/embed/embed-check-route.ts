import { CheckEmbedRequest, CheckEmbedResponse } from '@cloche/contract/embed';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { EmbedStores } from './authorize-view.ts';
import { checkEmbed } from './embed-check.ts';

/** POST /v1/tokens/check: would this embed show here, and if not, why? */
export const embedCheckRoute: FastifyPluginAsyncTypebox<EmbedStores & { now: () => Date }> = async (
  app,
  { now, ...shelves },
) => {
  app.post(
    '/',
    {
      config: { auth: 'read' },
      schema: {
        tags: ['tokens'],
        summary: 'Would this embed show here?',
        description: 'The decision of the gate, from the same code, with advice on the origins.',
        body: CheckEmbedRequest,
        response: { 200: CheckEmbedResponse },
      },
    },
    async (request) => checkEmbed(request.body, request.token, shelves, now()),
  );
};
