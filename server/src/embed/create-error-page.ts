import { findRefererOrigin } from '@cloche/contract/origin';
import type { Problem } from '@cloche/contract/problem';
import type { FastifyRequest } from 'fastify';
import { chooseLanguage, createLanguageHeaders } from '../http/choose-language.ts';
import type { ErrorPage } from '../http/route-config.ts';
import { ERROR_PAGE_HEADERS, renderErrorPage } from './error-page.ts';
import type { ViewerBuild } from './viewer-build.ts';

type CreateErrorPageOptions = {
  /** The details of problems contain nothing of a token or a design, so they are shown to the author. */
  showsDetail?: boolean;
};

/** Creates the function of a route that converts a problem to the error page. */
export function createErrorPage(
  { languages }: ViewerBuild,
  publicOrigin: string,
  { showsDetail = false }: CreateErrorPageOptions = {},
): (problem: Problem, request: FastifyRequest) => ErrorPage {
  return (problem, request) => {
    const { code, retryAfterSeconds } = problem;
    const language = chooseLanguage(request);
    const refreshes = code === 'design.not-ready' && retryAfterSeconds !== undefined;
    return {
      html: renderErrorPage(code, {
        publicOrigin,
        language,
        messages: languages[language].messages,
        pageOrigin: findPageOrigin(request),
        detail: showsDetail ? problem.message : undefined,
        refreshes,
      }),
      headers: {
        ...ERROR_PAGE_HEADERS,
        ...createLanguageHeaders(language),
        ...(refreshes && {
          refresh: String(retryAfterSeconds),
          // The gate has allowed the page that the Referer names. It allows a document that reloads itself by
          // its own Referer. No other error page may send that: a page without a Referer is verified only by
          // `frame-ancestors`, which this page does not have.
          ...(request.headers.referer !== undefined && { 'referrer-policy': 'same-origin' }),
        }),
      },
    };
  };
}

function findPageOrigin({ headers }: FastifyRequest): string | undefined {
  return findRefererOrigin(headers.referer ?? headers.origin ?? '');
}
