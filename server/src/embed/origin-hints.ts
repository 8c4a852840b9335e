import { isOriginAllowed, matchesOrigin } from '@cloche/contract/origin';
import { isLoopback } from '@cloche/contract/origin-host';
import { getDomain } from 'tldts';
import { domainRules, isValidOrigin, type OriginParts, toOriginParts } from '../tokens/origins.ts';

/** A likely mistake in a listed origin. The origin itself is valid. */
export type OriginWarning = {
  origin: string;
  code: 'plain-http' | 'www-missing' | 'apex-missing' | 'shared-host' | 'bare-suffix';
  detail: string;
};

/** Hosts on which everybody can get a subdomain, but which are not in the Public Suffix List. */
const SHARED_HOSTS = new Set([
  'medium.com',
  'notion.site',
  'sharepoint.com',
  'squarespace.com',
  'substack.com',
  'tumblr.com',
  'wordpress.com',
]);

/**
 * Explains in a sentence how the origin of a page that is not listed differs from a similar origin that
 * is. `undefined` if no listed origin is similar.
 */
export function explainMismatch(
  origins: readonly string[],
  pageOrigin: string,
): string | undefined {
  for (const origin of origins) {
    const hint = explainPair(origin, pageOrigin);
    if (hint !== undefined) return hint;
  }
  return undefined;
}

function explainPair(listedOrigin: string, pageOrigin: string): string | undefined {
  const [scheme = '', authority = ''] = pageOrigin.split('://');
  const host = authority.replace(/:\d+$/, '');
  const listed = toOriginParts(listedOrigin);
  const otherScheme = scheme === 'https' ? 'http' : 'https';
  const wwwVariant = authority.startsWith('www.') ? authority.slice(4) : `www.${authority}`;

  if (listed.wildcard && listed.host === host) {
    return `The list has ${listedOrigin}, which includes the subdomains but not ${host} itself.`;
  }
  if (matchesOrigin(listedOrigin, `${otherScheme}://${authority}`)) {
    return `The list has ${listedOrigin}; with ${scheme} it is another origin.`;
  }
  if (matchesOrigin(listedOrigin, `${scheme}://${wwwVariant}`)) {
    const difference = authority.startsWith('www.') ? 'without "www."' : 'with "www."';
    return `The list has ${listedOrigin}, ${difference}; to browsers these are different origins.`;
  }
  if (matchesOrigin(withAnyPort(listedOrigin), pageOrigin)) {
    const port = listed.port === '' ? 'the default port' : `port ${listed.port}`;
    return `The list has ${listedOrigin}, which is for ${port} only.`;
  }
  if (!listed.wildcard && host.endsWith(`.${listed.host}`)) {
    return `The list has ${listedOrigin}, which does not include its subdomains.`;
  }
  if (isLoopback(host) && isLoopback(listed.host)) {
    return `The list has ${listedOrigin}; to browsers ${host} is another host.`;
  }
  return undefined;
}

function withAnyPort(origin: string): string {
  const { scheme, wildcard, host } = toOriginParts(origin);
  return `${scheme}://${wildcard ? '*.' : ''}${host}:*`;
}

/** Says which entry of a token's list allows a page. Some hosts can be visited, but not listed. */
export function adviseListing(pageOrigin: string): string {
  const parent = pageOrigin.replace(/:\/\/[^.]*\./, '://*.');
  const entry = [pageOrigin, parent].find(isValidOrigin);
  if (entry === undefined)
    return 'A token cannot list this origin. Serve the page from another host.';
  return `Add ${entry} to the token's origins if designs may be shown there.`;
}

/** Returns the warnings about the origins of a token, in their order. */
export function collectOriginWarnings(origins: readonly string[]): OriginWarning[] {
  return origins.flatMap((origin) => {
    const parts = toOriginParts(origin);
    if (isLoopback(parts.host)) return [];
    return [
      ...checkScheme(origin, parts),
      ...checkSharedHost(origin, parts),
      ...checkWwwVariant(origin, parts, origins),
    ];
  });
}

function checkScheme(origin: string, { scheme }: OriginParts): OriginWarning[] {
  if (scheme === 'https') return [];
  const detail = `${origin} uses http: others can change such a page in transit, and the https page is not included. List ${origin.replace('http:', 'https:')}.`;
  return [{ origin, code: 'plain-http', detail }];
}

function checkSharedHost(origin: string, { wildcard, host }: OriginParts): OriginWarning[] {
  if (wildcard && SHARED_HOSTS.has(host)) {
    const detail = `${origin} includes the sites of everybody under ${host}. List your own: https://your-name.${host}.`;
    return [{ origin, code: 'shared-host', detail }];
  }
  if (!wildcard && host.includes('.') && !isIpv4Address(host) && domainRules.isPublicSuffix(host)) {
    const detail = `${origin} is only the host itself and does not include the sites under it. List your own: https://your-name.${host}.`;
    return [{ origin, code: 'bare-suffix', detail }];
  }
  return [];
}

/** Warns if only one of a registrable domain and its `www.` subdomain is listed. */
function checkWwwVariant(
  origin: string,
  parts: OriginParts,
  origins: readonly string[],
): OriginWarning[] {
  // getDomain ignores the private suffixes: www.your-name.github.io is not a common address.
  const apex = getDomain(parts.host);
  const isApex = parts.host === apex;
  const isWww = parts.host === `www.${apex}`;
  if (!(isApex || isWww) || domainRules.isPublicSuffix(parts.host)) return [];

  const needsApex = parts.wildcard || isWww;
  const port = parts.port === '' ? '' : `:${parts.port}`;
  const missing = `${parts.scheme}://${needsApex ? '' : 'www.'}${apex}${port}`;
  if (isOriginAllowed(origins, missing)) return [];
  const detail = `${origin} is listed, but ${missing} is not. Visitors may use either, so list both.`;
  return [{ origin, code: needsApex ? 'apex-missing' : 'www-missing', detail }];
}

function isIpv4Address(host: string): boolean {
  return /^[\d.]+$/.test(host);
}
