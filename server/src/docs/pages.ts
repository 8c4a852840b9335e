import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { escapeHtml } from '../http/escape-html.ts';
import { createApiArticle } from './api-page.ts';
import { type Anchor, type Article, renderMarkdown } from './markdown.ts';

const DOCS_DIRECTORY = join(import.meta.dirname, '../../../docs');

/** The pages, in the order of the menu: where each is, what the menu calls it, and its file. */
const PAGES = [
  { path: '/docs', label: 'Start', file: 'start.md' },
  { path: '/docs/install', label: 'Install', file: 'install.md' },
  { path: '/docs/configure', label: 'Configure', file: 'configure.md' },
  { path: '/docs/designs', label: 'Designs', file: 'designs.md' },
  { path: '/docs/uploads', label: 'Uploads', file: 'uploads.md' },
  { path: '/docs/embed', label: 'Embed', file: 'embed.md' },
  { path: '/docs/problems', label: 'Problems', file: 'problems.md' },
  { path: '/docs/security', label: 'Security', file: 'security.md' },
  { path: '/docs/api', label: 'API', file: undefined },
] as const;

/** Every page as HTML, by its path. */
export function renderDocsPages(publicUrl: string): Map<string, string> {
  return new Map(
    PAGES.map(({ path, file }) => {
      const article =
        file === undefined
          ? createApiArticle(publicUrl)
          : renderMarkdown(readFileSync(join(DOCS_DIRECTORY, file), 'utf8'), publicUrl);
      return [path, renderLayout(path, article)];
    }),
  );
}

export const DOCS_PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  // Not no-referrer: requests made on the page shall say their origin.
  'referrer-policy': 'same-origin',
};

const LOGO =
  '<svg viewBox="0 0 40 40" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" aria-hidden="true"><path d="M8 31V20a12 12 0 0 1 24 0v11"/><path d="M4 31h32M7 36h26M20 8V5"/></svg>';

function renderLayout(path: string, { title, html, anchors }: Article): string {
  const isApi = path === '/docs/api';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Cloche</title>
<link rel="icon" href="/docs/assets/cloche.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/assets/docs.css">${isApi ? '\n<link rel="stylesheet" href="/docs/assets/api.css">' : ''}
<script type="module" src="/docs/assets/${isApi ? 'api.js' : 'docs.js'}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header class="top">
<a class="brand" href="/docs">${LOGO} Cloche</a>
<nav aria-label="Documentation">
<ul>
${renderMenu(path)}
</ul>
</nav>
</header>
<div class="frame">
${renderTableOfContents(anchors)}
<main id="main" tabindex="-1">
<h1>${escapeHtml(title)}</h1>
${html}
</main>
</div>
<footer><p>This service describes itself at <a href="/openapi.json">/openapi.json</a>.</p></footer>
</body>
</html>
`;
}

function renderMenu(current: string): string {
  return PAGES.map(({ path, label }) => {
    const here = path === current ? ' aria-current="page"' : '';
    return `<li><a href="${path}"${here}>${label}</a></li>`;
  }).join('\n');
}

function renderTableOfContents(anchors: readonly Anchor[]): string {
  const items = anchors.map(({ id, html }) => `<li><a href="#${id}">${html}</a></li>`);
  return `<details class="contents">
<summary>On this page</summary>
<nav aria-label="On this page"><ul>
${items.join('\n')}
</ul></nav>
</details>`;
}
