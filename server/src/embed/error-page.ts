import { createHash } from 'node:crypto';
import { type Problem, problems } from '@cloche/contract/problem';
import { escapeHtml } from '../http/escape-html.ts';
import { FRAMED_DOCUMENT_HEADERS } from './framed-document.ts';

const STYLE = `
:root{color-scheme:light dark}
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
@media (prefers-color-scheme:dark){body{background:#1a1c1f;color:#ecedee}svg,small{color:#a3a8b0}}
`.trim();

const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

const LOGO =
  '<svg viewBox="0 0 40 40" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true"><path d="M8 31V20a12 12 0 0 1 24 0v11"/><path d="M4 31h32M7 36h26M20 8V5"/></svg>';

/** Sent with a refusal: it may be framed anywhere, for it holds nothing of any design. */
export const ERROR_PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...FRAMED_DOCUMENT_HEADERS,
  'content-security-policy': `default-src 'none'; style-src ${STYLE_HASH}; base-uri 'none'; form-action 'none'; frame-ancestors *`,
};

/**
 * A page for a person: what was seen, which rule said no, and what the owner can do. Where only time
 * is missing, it says how the design gets there: by itself after `refreshS` seconds, or not.
 */
export function renderErrorPage(problem: Problem, publicOrigin: string, refreshS?: number): string {
  const { title } = problems[problem.code];
  const again = refreshS === undefined ? 'Then reload the page.' : 'It is tried again by itself.';
  const then = problem.retryAfterSeconds === undefined ? '' : ` ${again}`;
  const link = `${publicOrigin}/docs/problems#${problem.code}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>Not shown here</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${LOGO}
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(problem.message)}${then}</p>
<p><small><code>${problem.code}</code> · <a href="${escapeHtml(link)}" target="_blank" rel="noopener noreferrer">What this means</a></small></p>
</main>
</body>
</html>
`;
}
