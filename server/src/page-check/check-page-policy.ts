import type { PageFinding } from '@cloche/contract/page-check';
import type { EmbedUrl } from './embed-url.ts';
import type { FetchedPage } from './fetch-page.ts';
import { createFinding } from './finding.ts';
import type { EmbedElement } from './page-document.ts';
import {
  findFrameViolation,
  findMissingSandboxTokens,
  type PagePolicy,
  type PolicyViolation,
  parsePolicies,
  upgradesRequests,
} from './page-policy.ts';
import { isSecure } from './referrer-policy.ts';

/** An embed with a URL, and the page that contains it. */
export type EmbedInPage = { element: EmbedElement; embedUrl: EmbedUrl; page: FetchedPage };

/** The policies that apply to an element: those of the headers, and those of the `<meta>` elements before it. */
export function listPolicies(
  page: Pick<FetchedPage, 'headers'>,
  element: Pick<EmbedElement, 'metaPolicies'>,
): PagePolicy[] {
  return [...listHeaderPolicies(page), ...parsePolicies(element.metaPolicies)];
}

function listHeaderPolicies({ headers }: Pick<FetchedPage, 'headers'>): PagePolicy[] {
  return parsePolicies(headers.get('content-security-policy') ?? []);
}

/** Returns the URL that the browser requests. A policy of the page can turn http into https. */
export function toRequestedUrl({ element, embedUrl: { url }, page }: EmbedInPage): URL {
  const isUpgraded = url.protocol === 'http:' && upgradesRequests(listPolicies(page, element));
  return isUpgraded ? new URL(url.href.replace(/^http:/, 'https:')) : url;
}

/** Checks what the page around an iframe forbids: http in https, its Content-Security-Policy, its sandbox. */
export function checkPagePolicy(embed: EmbedInPage): PageFinding[] {
  const url = toRequestedUrl(embed);
  const { page } = embed;
  return [...checkScheme(url, page.url), ...checkFramePolicy(embed, url), ...checkSandbox(page)];
}

function checkScheme(url: URL, page: URL): PageFinding[] {
  if (isSecure(url)) return [];
  const secure = `https://${url.host}`;
  if (page.protocol === 'https:') {
    return [
      createFinding('frame.mixed-content', {
        detail: `The page has https, and the iframe is loaded from ${url.origin}. Browsers block it.`,
        fix: `Write ${secure} in place of ${url.origin} in the src. Cloche must be reachable at that address: see CLOCHE_PUBLIC_URL.`,
      }),
    ];
  }
  return [
    createFinding('frame.http', {
      detail: `The design and the token are sent without encryption, from ${url.origin}.`,
      fix: `Serve Cloche over https, and write ${secure} in the src.`,
    }),
  ];
}

function checkFramePolicy({ element, page }: EmbedInPage, url: URL): PageFinding[] {
  const policies = listPolicies(page, element);
  const violation = findFrameViolation(policies, { url, page: page.url });
  if (violation === undefined) return [];
  return [
    createFinding('frame.csp', {
      detail: `The Content-Security-Policy of the page has "${quotePolicy(violation)}", which does not allow frames from ${url.origin}.`,
      fix: `Write this directive into the policy: frame-src ${addSource(violation, url.origin)}`,
    }),
  ];
}

/** The other sources of the directive, with one more. */
export function addSource({ sources }: PolicyViolation, source: string): string {
  const others = sources.filter((other) => other.toLowerCase() !== "'none'");
  return shorten([source, ...others].join(' '));
}

export function quotePolicy({ directive, sources }: PolicyViolation): string {
  return shorten([directive, ...sources].join(' '));
}

function shorten(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

function checkSandbox(page: FetchedPage): PageFinding[] {
  const missing = findMissingSandboxTokens(listHeaderPolicies(page));
  if (missing.length === 0) return [];
  return [
    createFinding('frame.page-sandbox', {
      detail: `The Content-Security-Policy of the page has a sandbox without ${missing.join(' and ')}. It applies to all frames in the page.`,
      fix: `Add ${missing.join(' and ')} to the directive sandbox of the page, or remove the directive.`,
    }),
  ];
}
