import { CheckResult, CheckWish } from '@cloche/contract/embed';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Shelves } from './admit.ts';
import { check } from './check.ts';

/** POST /v1/tokens/check: would this embed show here, and if not, why? */
export const checkRoute: FastifyPluginAsyncTypebox<Shelves & { now: () => Date }> = async (
  app,
  { now, ...shelves },
) => {
  app.post(
    '/',
    {
      config: { needs: 'read' },
      schema: {
        tags: ['tokens'],
        summary: 'Would this embed show here?',
        description: 'The decision of the gate, from the same code, with advice on the origins.',
        body: CheckWish,
        response: { 200: CheckResult },
      },
    },
    async (request) => check(request.body, request.caller, shelves, now()),
  );
};
