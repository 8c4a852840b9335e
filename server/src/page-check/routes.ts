import { CheckPageRequest, PageCheck } from '@cloche/contract/page-check';
import { Problem } from '@cloche/contract/problem';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ConcurrencyLimiter } from '../http/concurrency-limiter.ts';
import { createClientSignal } from '../http/on-client-closed.ts';
import type { PublicHost } from '../http/public-host.ts';
import type { RateLimiter } from '../http/rate-limiter.ts';
import type { AccessStores } from './check-access.ts';
import { checkPage } from './check-page.ts';
import { type FetchPageOptions, fetchPage } from './fetch-page.ts';
import { parsePageUrl } from './page-url.ts';

/** Checks at the same time, on this node: each waits for a server that its user has chosen, and needs at most 100 MB. */
const MAX_CHECKS = 16;
const MAX_CHECKS_PER_USER = 4;
const RETRY_AFTER_SECONDS = 2;

export type PageCheckRouteDependencies = AccessStores & {
  /** How pages are fetched. */
  fetching: Omit<FetchPageOptions, 'userAgent'>;
  /** By user. */
  limiter: RateLimiter;
  publicHost: PublicHost;
  now: () => Date;
};

/** POST /v1/page-checks: which embeds a page has, and why they are not shown. */
export const pageCheckRoutes: FastifyPluginAsyncTypebox<PageCheckRouteDependencies> = async (
  app,
  { fetching, limiter, publicHost, now, ...stores },
) => {
  const shutdown = new AbortController();
  app.addHook('preClose', async () => shutdown.abort(new Problem('server.unavailable')));
  const userAgent = `Cloche-Page-Check/1 (+${publicHost.origin}/docs/embed)`;
  const checks = new ConcurrencyLimiter(MAX_CHECKS, createBusyError);
  const checksOfUser = new ConcurrencyLimiter(MAX_CHECKS_PER_USER, createBusyError);

  app.post(
    '/',
    {
      config: { auth: 'read', idempotencyKey: false },
      schema: {
        tags: ['embed'],
        summary: 'Check the embeds of a page',
        description:
          'Fetches a page that anyone can open, as a browser without cookies does, and says for each embed in its HTML whether the design is shown and, if not, why. Pages in private networks are not fetched. Embeds that a script inserts are not seen.',
        body: CheckPageRequest,
        response: { 200: PageCheck },
      },
    },
    async ({ body, token }, reply) => {
      limiter.limitRequest(token.user, reply);
      const url = parsePageUrl(body.url);
      using _userSlot = checksOfUser.acquire(token.user);
      using _slot = checks.acquire('all');
      const gone = new Problem('request.timeout', {
        detail: 'The client has closed the connection.',
      });
      const signal = AbortSignal.any([shutdown.signal, createClientSignal(reply.raw, gone)]);
      const page = await fetchPage(url, { ...fetching, userAgent }, signal);
      const context = { caller: token, stores, publicHost, now: now() };
      return await checkPage(url, page, context, signal);
    },
  );
};

function createBusyError(): Problem {
  return new Problem('page.busy', {
    detail: `At most ${MAX_CHECKS_PER_USER} pages of a user, and ${MAX_CHECKS} in all, are checked at the same time. Retry in some seconds.`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
