import { isOriginAllowed, matchesOrigin } from '@cloche/contract/origin';
import { isLoopback } from '@cloche/contract/origin-host';
import { getDomain } from 'tldts';
import { domainRules, type OriginParts, toOriginParts } from '../tokens/origins.ts';

/** What its owner may want to know about a listed origin; nothing is wrong with it by the rules. */
export type OriginWarning = {
  origin: string;
  code: 'plain-http' | 'www-missing' | 'apex-missing' | 'shared-host' | 'bare-suffix';
  detail: string;
};

/** Sites where everybody may have a subdomain and which the Public Suffix List does not hold. */
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
 * Says how a page that was refused nearly was admitted, as a sentence, or `undefined` when nothing
 * on the list comes near it.
 */
export function explainMismatch(origins: readonly string[], seen: string): string | undefined {
  for (const origin of origins) {
    const hint = explainPair(origin, seen);
    if (hint !== undefined) return hint;
  }
  return undefined;
}

function explainPair(origin: string, seen: string): string | undefined {
  const [scheme = '', address = ''] = seen.split('://');
  const host = address.replace(/:\d+$/, '');
  const listed = toOriginParts(origin);
  const other = scheme === 'https' ? 'http' : 'https';
  const www = address.startsWith('www.') ? address.slice(4) : `www.${address}`;

  if (listed.wildcard && listed.host === host) {
    return `The list has ${origin}, which holds the subdomains and not ${host} itself.`;
  }
  if (matchesOrigin(origin, `${other}://${address}`)) {
    return `The list has ${origin}; with ${scheme} it is another origin.`;
  }
  if (matchesOrigin(origin, `${scheme}://${www}`)) {
    const lack = address.startsWith('www.') ? 'without "www."' : 'which needs a "www."';
    return `The list has ${origin}, ${lack}; browsers tell the two apart.`;
  }
  if (matchesOrigin(withAnyPort(origin), seen)) {
    const port = listed.port === '' ? 'the usual port' : `port ${listed.port}`;
    return `The list has ${origin}: ${port}, and no other.`;
  }
  if (!listed.wildcard && host.endsWith(`.${listed.host}`)) {
    return `The list has ${origin}, which does not hold its subdomains.`;
  }
  if (isLoopback(host) && isLoopback(listed.host)) {
    return `The list has ${origin}; to a browser ${host} is another host.`;
  }
  return undefined;
}

function withAnyPort(origin: string): string {
  const { scheme, wildcard, host } = toOriginParts(origin);
  return `${scheme}://${wildcard ? '*.' : ''}${host}:*`;
}

/** Gives what is worth saying about a token's origins, in their order. */
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
  const detail = `${origin} is plain http: the page can be changed on its way, and the https page is not admitted. List ${origin.replace('http:', 'https:')}.`;
  return [{ origin, code: 'plain-http', detail }];
}

function checkSharedHost(origin: string, { wildcard, host }: OriginParts): OriginWarning[] {
  if (wildcard && SHARED_HOSTS.has(host)) {
    const detail = `${origin} admits everybody who has a site under ${host}. List your own: https://your-name.${host}.`;
    return [{ origin, code: 'shared-host', detail }];
  }
  if (!wildcard && host.includes('.') && !isIpv4Address(host) && domainRules.isPublicSuffix(host)) {
    const detail = `${origin} is the host itself, not the sites under it. List your own: https://your-name.${host}.`;
    return [{ origin, code: 'bare-suffix', detail }];
  }
  return [];
}

/** Speaks of a registrable name and its `www.` where only one of them is admitted. */
function checkWwwVariant(
  origin: string,
  parts: OriginParts,
  origins: readonly string[],
): OriginWarning[] {
  // Without the private suffixes: nobody looks for www.your-name.github.io.
  const apex = getDomain(parts.host);
  const inApex = parts.host === apex;
  const inWww = parts.host === `www.${apex}`;
  if (!(inApex || inWww) || domainRules.isPublicSuffix(parts.host)) return [];

  const wantsApex = parts.wildcard || inWww;
  const port = parts.port === '' ? '' : `:${parts.port}`;
  const missing = `${parts.scheme}://${wantsApex ? '' : 'www.'}${apex}${port}`;
  if (isOriginAllowed(origins, missing)) return [];
  const detail = `${origin} is listed and ${missing} is not; visitors may come by either. List both.`;
  return [{ origin, code: wantsApex ? 'apex-missing' : 'www-missing', detail }];
}

function isIpv4Address(host: string): boolean {
  return /^[\d.]+$/.test(host);
}
