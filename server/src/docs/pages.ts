import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { escapeHtml } from '../http/escape-html.ts';
import { createLogoSvg } from '../http/logo.ts';
import { createApiArticle } from './api-page.ts';
import { type Anchor, type Article, renderMarkdown } from './markdown.ts';

const DOCS_DIRECTORY = join(import.meta.dirname, '../../../docs');

/** The pages, in the order of the menu: path, label in the menu, and Markdown file. */
const PAGES = [
  { path: '/docs', label: 'Start', file: 'start.md' },
  { path: '/docs/install', label: 'Install', file: 'install.md' },
  { path: '/docs/configure', label: 'Configure', file: 'configure.md' },
  { path: '/docs/designs', label: 'Designs', file: 'designs.md' },
  { path: '/docs/uploads', label: 'Uploads', file: 'uploads.md' },
  { path: '/docs/embed', label: 'Embed', file: 'embed.md' },
  { path: '/docs/tokens', label: 'Tokens', file: 'tokens.md' },
  { path: '/docs/problems', label: 'Problems', file: 'problems.md' },
  { path: '/docs/security', label: 'Security', file: 'security.md' },
  { path: '/docs/api', label: 'API', file: undefined },
] as const;

/** Renders every page. The keys are the paths. */
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
<a class="skip" href="#main">Skip to the content</a>
<header class="page-header">
<a class="brand" href="/docs">${createLogoSvg(2.5)} Cloche</a>
<nav aria-label="Documentation">
<ul>
${renderMenu(path)}
</ul>
</nav>
</header>
<div class="layout">
${renderTableOfContents(anchors)}
<main id="main" tabindex="-1">
<h1>${escapeHtml(title)}</h1>
${html}
</main>
</div>
<footer><p>The API is described at <a href="/openapi.json">/openapi.json</a>.</p></footer>
</body>
</html>
`;
}

function renderMenu(current: string): string {
  return PAGES.map(({ path, label }) => {
    const attribute = path === current ? ' aria-current="page"' : '';
    return `<li><a href="${path}"${attribute}>${label}</a></li>`;
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
