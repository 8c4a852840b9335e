import { createHash } from 'node:crypto';
import { type Problem, type ProblemCode, problems } from '@cloche/contract/problem';
import { escapeHtml } from '../http/escape-html.ts';
import { createLogoSvg } from '../http/logo.ts';
import { createErrorPageHeaders } from '../http/page-headers.ts';

const STYLE = `
:root{color-scheme:light}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.25rem;font:1rem/1.5 system-ui,sans-serif;background:#f4f4f2;color:#23262b}
main{max-width:34rem;width:100%}
svg{display:block;width:2.5rem;height:2.5rem;color:#6d727b}
h1{font-size:1.125rem;line-height:1.35;margin:.75rem 0 .5rem;text-wrap:balance}
p{margin:0 0 .75rem;overflow-wrap:anywhere}
small{color:#5b6068;font-size:.8125rem}
code{font:0.8125rem ui-monospace,monospace}
a{color:inherit}
@media (max-width:24rem),(max-height:18rem){body{padding:.75rem 1rem;font-size:.8125rem;line-height:1.4}svg{width:1.5rem;height:1.5rem}h1{font-size:.9375rem;margin:.25rem 0}p{margin:0 0 .5rem}small,code{font-size:.75rem}}
`.trim();

const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

/** The headers of the error page. */
export const ERROR_PAGE_HEADERS = createErrorPageHeaders(STYLE_HASH);

/** The problems that the error page can show. Each has a title in viewer/src/i18n/en.ts. */
export const VISITOR_PROBLEM_CODES = [
  'request.ambiguous-host',
  'request.wrong-host',
  'request.not-acceptable',
  'token.missing',
  'embed.placeholder',
  'token.malformed',
  'embed.secret-token',
  'token.unknown',
  'token.revoked',
  'token.expired',
  'token.design',
  'embed.prefetch',
  'embed.not-an-iframe',
  'embed.origin',
  'embed.unverified-origin',
  'embed.preview-link',
  'design.unknown',
  'design.not-ready',
  'design.failed',
  'server.failed',
] as const satisfies readonly ProblemCode[];

export type ErrorPageOptions = {
  publicOrigin: string;
  /** The texts that visitors read, by key. */
  messages: Readonly<Record<string, string>>;
  /** The page reloads itself after this time; never if undefined. */
  refreshSeconds?: number | undefined;
};

/**
 * Renders the page that visitors see instead of a design. The detail of the problem is for the author of
 * the embedding page: it says what is wrong and how to correct it.
 */
export function renderErrorPage(
  problem: Problem,
  { publicOrigin, messages, refreshSeconds }: ErrorPageOptions,
): string {
  const text = (key: string) => escapeHtml(messages[`errorPage.${key}`] ?? '');
  const title =
    messages[`errorPage.title.${problem.code}`] ?? (problems[problem.code].title as string);
  const retry = text(refreshSeconds === undefined ? 'reload' : 'retrying');
  const link = `${publicOrigin}/docs/problems#${problem.code}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${text('documentTitle')}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${createLogoSvg(2)}
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(problem.message)}${problem.retryAfterSeconds === undefined ? '' : ` ${retry}`}</p>
<p><small><code>${problem.code}</code> · <a href="${escapeHtml(link)}" target="_blank" rel="noopener noreferrer">${text('learnMore')}</a></small></p>
</main>
</body>
</html>
`;
}
