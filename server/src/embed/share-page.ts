import { normalizeOptions } from '@cloche/contract/parse-option';
import type { Language } from '@cloche/contract/viewer-options';
import type { DesignRecord } from '../designs/design.ts';
import { escapeHtml } from '../http/escape-html.ts';
import { createLogoSvg } from '../http/logo.ts';
import { createSharePageHeaders } from '../http/page-headers.ts';
import { createFramePage, type FramePage } from './frame-page.ts';
import type { ShareImage, ShareUrls } from './share-urls.ts';

const STYLE = `
header{gap:.625rem;align-items:center;padding:.625rem 1rem}
svg{flex:none;width:1.5rem;height:1.5rem}
div{min-width:0}
p{overflow-wrap:anywhere;display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;overflow:hidden}
@media (max-height:24rem){p{display:none}header{padding:.25rem 1rem}}
`.trim();

export type SharePageOptions = {
  design: Pick<DesignRecord, 'name' | 'description' | 'revision' | 'viewer'>;
  urls: ShareUrls;
  /** Undefined if the revision has none. */
  image: ShareImage | undefined;
  language: Language;
  /** The texts that visitors read, by key. */
  messages: Readonly<Record<string, string>>;
};

/** Creates the share page: the design, and the description of the page for the previews of links. */
export function createSharePage(options: SharePageOptions): FramePage {
  const { design, urls, language } = options;
  const name = escapeHtml(design.name);
  const description = escapeHtml(design.description);
  return createFramePage({
    design,
    // The page follows the device of the visitor, and so does the design unless its owner has chosen a theme.
    src: design.viewer.theme === undefined ? `${urls.documentPath}?theme=auto` : urls.documentPath,
    options: normalizeOptions({ theme: 'auto', ...design.viewer }),
    language,
    head: renderHead(options, name, description),
    header: `${createLogoSvg(2)}
<div>
<h1>${name}</h1>
${description === '' ? '' : `<p>${description}</p>\n`}</div>`,
    style: STYLE,
    prefix: 'og: https://ogp.me/ns#',
    createHeaders: createSharePageHeaders,
  });
}

/** `name` and `description` are HTML. */
function renderHead(
  { urls, image, messages }: SharePageOptions,
  name: string,
  description: string,
): string {
  const title = escapeHtml(messages['sharePage.title'] ?? '').replace('{name}', () => name);
  const properties = [
    ['og:type', 'website'],
    ['og:site_name', 'Cloche'],
    ['og:title', name],
    ['og:url', escapeHtml(urls.page)],
    ...(description === '' ? [] : [['og:description', description]]),
    ...(image === undefined ? [] : toImageProperties(image, description || name)),
  ].map(([property, content]) => `<meta property="${property}" content="${content}">`);
  return [
    `<title>${title}</title>`,
    `<link rel="canonical" href="${escapeHtml(urls.page)}">`,
    ...properties,
    `<meta name="twitter:card" content="${image === undefined ? 'summary' : 'summary_large_image'}">`,
    ...(description === '' ? [] : [`<meta name="description" content="${description}">`]),
    `<link rel="alternate" type="application/json+oembed" href="${escapeHtml(urls.oEmbedJson)}" title="${name}">`,
    `<link rel="alternate" type="text/xml+oembed" href="${escapeHtml(urls.oEmbedXml)}" title="${name}">`,
  ].join('\n');
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
