import type { PageCheck, PageEmbed, PageFinding } from '@cloche/contract/page-check';
import { checkPageEmbed, type EmbedCheckContext } from './check-embed.ts';
import type { FetchedPage } from './fetch-page.ts';
import { createFinding } from './finding.ts';
import type { EmbedElement, PageDocument } from './page-document.ts';
import { parsePage } from './parse-page.ts';

/** The limit of embeds that are checked: each needs two queries. */
const MAX_CHECKED = 50;

/** Checks all embeds of a page that was fetched from `start`. */
export async function checkPage(
  start: URL,
  page: FetchedPage,
  caller: Pick<EmbedCheckContext, 'caller' | 'stores' | 'now' | 'publicHost'>,
  signal: AbortSignal,
): Promise<PageCheck> {
  const document = await parsePage(page.text, signal);
  const base = URL.parse(document.base ?? '', page.url.href) ?? page.url;
  const checked = document.embeds.slice(0, MAX_CHECKED);
  const embeds: PageEmbed[] = [];
  for (const element of checked) {
    embeds.push(await checkPageEmbed(element, { ...caller, document, page, base }));
  }
  const shows = combine(checked, embeds);
  return {
    url: page.url.href,
    redirects: page.redirects.map(({ href }) => href),
    shows,
    summary: summarize(embeds, shows),
    findings: [...checkOrigin(start, page), ...checkRefresh(document, page)],
    embeds,
    embedCount: document.embeds.length,
  };
}

/** HTML that has no effect is no error if the page shows the same design elsewhere. */
function combine(elements: readonly EmbedElement[], embeds: readonly PageEmbed[]): boolean | null {
  const shown = new Set(embeds.filter(({ shows }) => shows).map(({ design }) => design));
  const counted = embeds.filter(
    ({ design }, index) => elements[index]?.context === 'page' || !shown.has(design),
  );
  if (counted.length === 0 || counted.some(({ shows }) => shows === false)) return false;
  return counted.every(({ shows }) => shows) ? true : null;
}

function summarize(embeds: readonly PageEmbed[], shows: boolean | null): string {
  if (embeds.length === 0) {
    return 'The HTML of the page has no embed of this service: no <iframe> with /embed/iframe/v1/ in its src, and no <cloche-viewer>. Embeds that a script inserts are not seen.';
  }
  const count = embeds.length === 1 ? '1 embed' : `${embeds.length} embeds`;
  const shown = embeds.filter((embed) => embed.shows).length;
  if (shows) return `The page shows its ${count}.`;
  const errors = embeds.flatMap(({ findings }) => findings.filter(isError));
  const first = errors[0] === undefined ? '' : ` First: ${errors[0].title}`;
  return `The page has ${count}; ${shown} of them can be shown.${first}`;
}

function isError({ severity }: PageFinding): boolean {
  return severity === 'error';
}

function checkOrigin(start: URL, { url }: FetchedPage): PageFinding[] {
  if (start.origin === url.origin) return [];
  return [
    createFinding('page.redirected', {
      detail: `${start.origin} redirects to ${url.origin}. The check is for ${url.origin}, because that is what visitors see.`,
      fix: `List ${url.origin} in the origins of the token.`,
    }),
  ];
}

function checkRefresh({ refresh }: PageDocument, { url }: FetchedPage): PageFinding[] {
  const target = /^\s*[\d.]+\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(refresh ?? '')?.[1];
  const next = target === undefined ? null : URL.parse(target.trim(), url.href);
  if (next === null || next.href === url.href) return [];
  const address = next.origin === 'null' ? next.protocol : `${next.origin}${next.pathname}`;
  return [
    createFinding('page.refresh', {
      detail: `The page sends visitors to ${address.slice(0, 300)} with <meta http-equiv="refresh">, and that page was not checked.`,
      fix: 'Check the page at that address.',
    }),
  ];
}
