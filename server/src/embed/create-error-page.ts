import type { Problem } from '@cloche/contract/problem';
import type { FastifyRequest } from 'fastify';
import type { ErrorPage } from '../http/route-config.ts';
import { ERROR_PAGE_HEADERS, renderErrorPage } from './error-page.ts';
import type { ViewerBuild } from './viewer-build.ts';

/** Creates the function of a route that converts a problem to the error page. */
export function createErrorPage(
  { messages }: ViewerBuild,
  publicOrigin: string,
): (problem: Problem, request: FastifyRequest) => ErrorPage {
  return (problem, request) => {
    const refreshSeconds = canRefresh(request) ? problem.retryAfterSeconds : undefined;
    return {
      html: renderErrorPage(problem, { publicOrigin, messages, refreshSeconds }),
      headers: {
        ...ERROR_PAGE_HEADERS,
        ...(refreshSeconds !== undefined && { refresh: String(refreshSeconds) }),
      },
    };
  };
}

/**
 * A document that reloads itself sends no Referer. The gate then needs `Sec-Fetch-Dest`, which browsers
 * do not send to a plain http origin.
 */
function canRefresh({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-dest'] !== undefined;
}
