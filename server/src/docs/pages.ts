import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { escapeHtml } from '../http/escape-html.ts';
import { createLogoSvg } from '../http/logo.ts';
import { createApiArticle } from './api-page.ts';
import { createExamplesArticle } from './example-pages.ts';
import { type Anchor, type Article, renderMarkdown } from './markdown.ts';

const DOCS_DIRECTORY = join(import.meta.dirname, '../../../docs');

type DocsPage = {
  path: string;
  label: string;
  /** The Markdown file, or what creates the page with the public URL. */
  content: string | ((publicUrl: string) => Article);
  /** The page of the menu that contains this page. The page itself is then not in the menu. */
  parent?: string;
};

/** The pages, in the order of the menu. */
const PAGES: readonly DocsPage[] = [
  { path: '/docs', label: 'Start', content: 'start.md' },
  { path: '/docs/console', label: 'Console', content: 'console.md', parent: '/docs' },
  { path: '/docs/install', label: 'Install', content: 'install.md' },
  { path: '/docs/deploy', label: 'Containers', content: 'deploy.md' },
  { path: '/docs/configure', label: 'Configure', content: 'configure.md' },
  { path: '/docs/operate', label: 'Operate', content: 'operate.md', parent: '/docs/configure' },
  { path: '/docs/scale', label: 'Several nodes', content: 'scale.md', parent: '/docs/deploy' },
  { path: '/docs/backup', label: 'Backup', content: 'backup.md', parent: '/docs/deploy' },
  { path: '/docs/designs', label: 'Designs', content: 'designs.md' },
  { path: '/docs/uploads', label: 'Uploads', content: 'uploads.md' },
  { path: '/docs/embed', label: 'Embed', content: 'embed.md' },
  ...toEmbedPages(['Plain HTML', 'React', 'WordPress', 'Shopify', 'Notion', 'Markdown']),
  { path: '/docs/examples', label: 'Examples', content: createExamplesArticle },
  { path: '/docs/viewer-api', label: 'Viewer API', content: 'viewer-api.md' },
  { path: '/docs/share', label: 'Share', content: 'share.md' },
  { path: '/docs/tokens', label: 'Tokens', content: 'tokens.md' },
  { path: '/docs/problems', label: 'Problems', content: 'problems.md' },
  { path: '/docs/stability', label: 'Stability', content: 'stability.md' },
  { path: '/docs/security', label: 'Security', content: 'security.md' },
  { path: '/docs/speed', label: 'Speed', content: 'speed.md' },
  { path: '/docs/api', label: 'API', content: createApiArticle },
];

/** The pages about one place to embed in: `WordPress` is /docs/embed-wordpress. */
function toEmbedPages(labels: readonly string[]): DocsPage[] {
  return labels.map((label) => {
    const name = `embed-${label.replace('Plain ', '').toLowerCase()}`;
    return { path: `/docs/${name}`, label, content: `${name}.md`, parent: '/docs/embed' };
  });
}

/** The pages with a script and a style sheet of their own. */
const PAGES_WITH_SCRIPTS = ['api', 'examples', 'speed'] as const;

/** The paths of all pages. */
export const DOCS_PATHS: readonly string[] = PAGES.map(({ path }) => path);

/** The URLs of the scripts: `docs` is for all pages without a script of their own. */
export type DocsScripts = Record<'docs' | (typeof PAGES_WITH_SCRIPTS)[number], string>;

/** Renders the page at a path of `DOCS_PATHS`. */
export function renderDocsPage(path: string, publicUrl: string, scripts: DocsScripts): string {
  const page = PAGES.find((candidate) => candidate.path === path);
  if (page === undefined) throw new RangeError(`no page at ${path}`);
  const article =
    typeof page.content === 'string'
      ? renderMarkdown(readFileSync(join(DOCS_DIRECTORY, page.content), 'utf8'), publicUrl)
      : page.content(publicUrl);
  return renderLayout(page, article, scripts);
}

/** Renders the page for an unknown path below /docs. */
export function renderMissingPage(scripts: DocsScripts): string {
  const links = PAGES.map(({ path, label, parent }) =>
    parent === undefined ? `<li><a href="${path}">${label}</a></li>` : '',
  ).join('');
  const html = `<p class="lead">The documentation has no page at this address.</p>\n<ul>${links}</ul>`;
  return renderLayout({}, { title: 'Page not found', html, anchors: [] }, scripts);
}

function renderLayout(
  { path, parent }: Partial<DocsPage>,
  { title, html, anchors }: Article,
  scripts: DocsScripts,
): string {
  const name = PAGES_WITH_SCRIPTS.find((candidate) => path === `/docs/${candidate}`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Cloche</title>
<link rel="icon" href="/docs/assets/cloche.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/assets/docs.css">${name === undefined ? '' : `\n<link rel="stylesheet" href="/docs/assets/${name}.css">`}
<script type="module" src="${scripts[name ?? 'docs']}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="page-header">
<a class="brand" href="/docs">${createLogoSvg(2.5)} Cloche</a>
<nav aria-label="Documentation">
<ul>
${renderMenu(path, parent)}
</ul>
</nav>
</header>
<div class="layout">
${renderTableOfContents(anchors)}
<main id="main" tabindex="-1">
${renderSectionMenu(path, parent)}<h1>${escapeHtml(title)}</h1>
${html}
</main>
</div>
<footer><p>The API is described at <a href="/openapi.json">/openapi.json</a>.</p></footer>
</body>
</html>
`;
}

function renderMenu(current: string | undefined, currentParent: string | undefined): string {
  return PAGES.filter(({ parent }) => parent === undefined)
    .map(({ path, label }) => {
      const page = path === current ? ' aria-current="page"' : '';
      const section = path === currentParent ? ' aria-current="true"' : '';
      return `<li><a href="${path}"${page}${section}>${label}</a></li>`;
    })
    .join('\n');
}

/** Renders links to the page above this page, and to the pages beside it. */
function renderSectionMenu(current: string | undefined, parent: string | undefined): string {
  if (parent === undefined) return '';
  const pages = PAGES.filter((page) => page.path === parent || page.parent === parent);
  const items = pages.map(({ path, label }) => {
    const attribute = path === current ? ' aria-current="page"' : '';
    return `<li><a href="${path}"${attribute}>${label}</a></li>`;
  });
  return `<nav class="section" aria-label="${pages[0]?.label}"><ul>${items.join('')}</ul></nav>\n`;
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
