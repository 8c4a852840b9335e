import type { FastifyReply, FastifyRequest } from 'fastify';

/** Done with each request as it comes in, before anything can refuse it. */
export type RequestHook = (
  request: Pick<FastifyRequest, 'raw' | 'url' | 'method' | 'id'>,
  reply: Pick<FastifyReply, 'raw'>,
) => void;

/** Makes one step of several. */
export function composeHooks(...steps: RequestHook[]): RequestHook {
  return (request, reply) => {
    for (const step of steps) step(request, reply);
  };
}
