import { createHash } from 'node:crypto';
import { toTextDirection } from '@cloche/contract/language';
import type { Language } from '@cloche/contract/viewer-options';
import type { DesignRecord } from '../designs/design.ts';
import { escapeHtml } from '../http/escape-html.ts';
import { createLogoSvg } from '../http/logo.ts';
import { createSharePageHeaders } from '../http/page-headers.ts';
import type { ShareImage, ShareUrls } from './share-urls.ts';

const STYLE = `
:root{color-scheme:light dark}
*{box-sizing:border-box}
body{margin:0;height:100vh;height:100dvh;display:grid;grid-template-rows:auto 1fr;font:1rem/1.5 system-ui,sans-serif;background:#f4f4f2;color:#23262b}
header{display:flex;gap:.625rem;align-items:center;padding:.625rem 1rem;min-width:0}
svg{flex:none;width:1.5rem;height:1.5rem}
div{min-width:0}
h1{font-size:1.0625rem;line-height:1.35;margin:0;overflow-wrap:anywhere}
p{margin:0;font-size:.875rem;color:#5b6068;overflow-wrap:anywhere;display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;overflow:hidden}
main{min-height:0}
iframe{display:block;width:100%;height:100%;border:0;background:#dfe2e7}
@media (max-height:24rem){p{display:none}header{padding:.25rem 1rem}}
@media (prefers-color-scheme:dark){body{background:#1a1c1f;color:#ecedee}p{color:#a3a8b0}iframe{background:#2b2e33}}
`.trim();

/** The headers of the share page. */
export const SHARE_PAGE_HEADERS = createSharePageHeaders(
  `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
);

export type SharePageOptions = {
  design: Pick<DesignRecord, 'name' | 'description'>;
  urls: ShareUrls;
  /** Undefined if the revision has none. */
  image: ShareImage | undefined;
  language: Language;
  /** The texts that visitors read, by key. */
  messages: Readonly<Record<string, string>>;
};

/** Renders the share page: the design, and the description of the page for the previews of links. */
export function renderSharePage(options: SharePageOptions): string {
  const { design, urls, image, language, messages } = options;
  const name = escapeHtml(design.name);
  const title = escapeHtml(messages['sharePage.title'] ?? '').replace('{name}', () => name);
  const description = escapeHtml(design.description);
  const meta = [
    ['og:type', 'website'],
    ['og:site_name', 'Cloche'],
    ['og:title', name],
    ['og:url', escapeHtml(urls.page)],
    ...(description === '' ? [] : [['og:description', description]]),
    ...(image === undefined ? [] : toImageProperties(image, description || name)),
  ].map(([property, content]) => `<meta property="${property}" content="${content}">`);
  return `<!doctype html>
<html lang="${language}" dir="${toTextDirection(language)}" prefix="og: https://ogp.me/ns#">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="canonical" href="${escapeHtml(urls.page)}">
${meta.join('\n')}
<meta name="twitter:card" content="${image === undefined ? 'summary' : 'summary_large_image'}">
${description === '' ? '' : `<meta name="description" content="${description}">\n`}<link rel="alternate" type="application/json+oembed" href="${escapeHtml(urls.oEmbedJson)}" title="${name}">
<link rel="alternate" type="text/xml+oembed" href="${escapeHtml(urls.oEmbedXml)}" title="${name}">
<style>${STYLE}</style>
</head>
<body>
<header>
${createLogoSvg(2)}
<div>
<h1>${name}</h1>
${description === '' ? '' : `<p>${description}</p>\n`}</div>
</header>
<main>
<iframe src="${escapeHtml(urls.documentPath)}?theme=auto" title="${name}" referrerpolicy="strict-origin" allow="fullscreen; xr-spatial-tracking"></iframe>
</main>
</body>
</html>
`;
}

function toImageProperties({ url, width, height }: ShareImage, alt: string): string[][] {
  return [
    ['og:image', escapeHtml(url)],
    ['og:image:type', 'image/jpeg'],
    ['og:image:width', String(width)],
    ['og:image:height', String(height)],
    ['og:image:alt', alt],
  ];
}
