import { createHash } from 'node:crypto';
import { toTextDirection } from '@cloche/contract/language';
import type { ProblemCode } from '@cloche/contract/problem';
import type { Language } from '@cloche/contract/viewer-options';
import { escapeHtml } from '../http/escape-html.ts';
import { createLogoSvg } from '../http/logo.ts';
import { createErrorPageHeaders } from '../http/page-headers.ts';

const STYLE = `
:root{color-scheme:light}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.25rem;font:1rem/1.5 system-ui,sans-serif;background:#f4f4f2;color:#23262b}
main{max-width:34rem;width:100%;min-width:0}
svg{display:block;width:2.5rem;height:2.5rem;color:#6d727b}
h1{font-size:1.125rem;line-height:1.35;margin:.75rem 0 .5rem;text-wrap:balance}
p{margin:0 0 .75rem;overflow-wrap:anywhere}
details{font-size:.875rem;color:#5b6068}
summary{cursor:pointer;min-height:1.5rem}
details p{margin:.5rem 0}
code{font:0.8125rem ui-monospace,monospace}
a{color:inherit}
@media (max-width:24rem),(max-height:18rem){body{padding:.75rem 1rem;font-size:.8125rem;line-height:1.4}svg{width:1.5rem;height:1.5rem}h1{font-size:.9375rem;margin:.25rem 0}p{margin:0 0 .5rem}details,code{font-size:.75rem}}
@media (max-width:12rem),(max-height:9rem){body{padding:.375rem .5rem}svg{display:none}h1{font-size:.8125rem;margin:0 0 .125rem}}
@media (max-height:7.4rem){details{display:none}}
`.trim();

/**
 * Repeats the advice for the author in the console of the browser, and tells the page around the iframe the code, as a
 * `WindowMessage` of the protocol, also again when its SDK comes later. Any page may receive the code: with the same request, it could
 * also get it from the service.
 */
const SCRIPT = `
{const find=(id)=>document.getElementById(id),code=find('code').textContent;console.warn(code+': '+find('advice').textContent+' '+find('link').href);
const tell=()=>parent!==self&&parent.postMessage({cloche:'refused',code},'*');tell();addEventListener('message',({data,source})=>source===parent&&data?.cloche==='syn'&&tell())}
`.trim();

/** The headers of the error page. */
export const ERROR_PAGE_HEADERS = createErrorPageHeaders({
  scriptHash: toSource(SCRIPT),
  styleHash: toSource(STYLE),
});

/** The problems that the error page can show. viewer/src/i18n/en.ts has advice for the author for each. */
export const VISITOR_PROBLEM_CODES = [
  'request.ambiguous-host',
  'request.wrong-host',
  'request.not-acceptable',
  'request.rate-limited',
  'token.missing',
  'embed.placeholder',
  'token.malformed',
  'embed.secret-token',
  'token.unknown',
  'token.revoked',
  'token.expired',
  'token.user-disabled',
  'token.design',
  'embed.prefetch',
  'embed.not-an-iframe',
  'embed.origin',
  'embed.unverified-origin',
  'embed.preview-link',
  'design.unknown',
  'design.not-shared',
  'design.not-ready',
  'design.failed',
  'server.failed',
  'server.damaged',
] as const satisfies readonly ProblemCode[];

export type ErrorPageOptions = {
  publicOrigin: string;
  language: Language;
  /** The texts that visitors read, by key. */
  messages: Readonly<Record<string, string>>;
  /** The origin of the page around the iframe, if the request names it. */
  pageOrigin?: string | undefined;
  /** Replaces the advice of `messages`: the detail of a problem, in English. It must contain nothing of a token or a design. */
  detail?: string | undefined;
  /** The page reloads itself. */
  refreshes?: boolean;
};

/**
 * Renders the page that visitors see instead of a design. Any site may frame it, so it contains no data of
 * the token or the design. The detail of a problem may contain some: it is for the API, and not shown here.
 */
export function renderErrorPage(code: ProblemCode, options: ErrorPageOptions): string {
  const { publicOrigin, language, messages, pageOrigin, detail, refreshes = false } = options;
  const text = (key: string) => escapeHtml(messages[`errorPage.${key}`] ?? '');
  const title = text(`title.${code}`) || text('title');
  const link = `${publicOrigin}/docs/problems#${code}`;
  const advice =
    detail === undefined
      ? `<p id="advice">${renderAdvice(messages, code, pageOrigin)}</p>`
      : `<p id="advice" lang="en" dir="ltr">${escapeHtml(detail)}</p>`;
  return `<!doctype html>
<html lang="${language}" dir="${toTextDirection(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${text('documentTitle')}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${createLogoSvg(2)}
<h1>${title}</h1>
${refreshes ? `<p>${text('retrying')}</p>\n` : ''}<details>
<summary>${escapeHtml(messages.forAuthor ?? '')}</summary>
${advice}
<p><code id="code">${code}</code> · <a id="link" href="${escapeHtml(link)}" target="_blank" rel="noopener noreferrer">${text('learnMore')}</a></p>
</details>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

function renderAdvice(
  messages: Readonly<Record<string, string>>,
  code: ProblemCode,
  pageOrigin: string | undefined,
): string {
  const key = `errorPage.advice.${code}`;
  if (pageOrigin === undefined)
    return escapeHtml(messages[`${key}.unnamed`] ?? messages[key] ?? '');
  // Isolated: an origin does not change the direction of the text around it.
  const origin = `<bdi>${escapeHtml(pageOrigin)}</bdi>`;
  return escapeHtml(messages[key] ?? '').replaceAll('{origin}', () => origin);
}

function toSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
