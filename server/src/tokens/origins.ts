import { domainToASCII, domainToUnicode } from 'node:url';
import type { DomainRules } from '@cloche/contract/origin-host';
import { parseOrigin } from '@cloche/contract/origin-parser';
import { type OriginParts, toOriginParts } from '@cloche/contract/origin-parts';
import { Problem } from '@cloche/contract/problem';
import { SHARED_CLOUD_DOMAINS } from '@cloche/contract/shared-domains';
import { getDomain, getPublicSuffix } from 'tldts';

/** Maximum number of origins of a token. */
export const MAX_ORIGINS = 20;

const SUFFIX_OPTIONS = { allowPrivateDomains: true, extractHostname: false };

/** Node's IDNA, and the Public Suffix List including its private section. */
export const domainRules: DomainRules = {
  toAscii: (host) => domainToASCII(host) || undefined,
  toUnicode: domainToUnicode,
  isPublicSuffix: (host) =>
    getPublicSuffix(host, SUFFIX_OPTIONS) === host ||
    SHARED_CLOUD_DOMAINS.has(getDomain(host, SUFFIX_OPTIONS) ?? ''),
  findApex: (host) => getDomain(host) ?? undefined,
};

/**
 * Parses the origins of a token. Keeps the order, and removes duplicates.
 *
 * @throws {Problem} origin.invalid, with the entry as its field (`origins[2]`), or request.invalid
 *   if there are more than `MAX_ORIGINS`
 */
export function parseOrigins(list: readonly unknown[], field = 'origins'): string[] {
  if (list.length > MAX_ORIGINS) {
    const detail = `${field} lists ${list.length} origins, and a token has at most ${MAX_ORIGINS}. Use "https://*.shop.example" for many subdomains, or create another token.`;
    throw new Problem('request.invalid', { field, detail });
  }
  return [...new Set(list.map((text, index) => parseListedOrigin(text, `${field}[${index}]`)))];
}

/** Parses one origin of a token. @throws {Problem} origin.invalid */
export function parseListedOrigin(text: unknown, field: string): string {
  try {
    return parseOrigin(text, domainRules);
  } catch (cause) {
    // Adds the field, which names the entry, to the problem.
    if (!(cause instanceof Problem) || cause.reason === undefined) throw cause;
    throw new Problem(cause.code, { detail: cause.message, reason: cause.reason, field, cause });
  }
}

/** Says whether a token may list an origin. */
export function isValidOrigin(text: string): boolean {
  try {
    parseOrigin(text, domainRules);
    return true;
  } catch {
    // The caller does not show why.
    return false;
  }
}

/**
 * Finds the first origin of a child token that the parent's list does not cover. An empty list covers
 * nothing.
 */
export function findUncoveredOrigin(
  child: readonly string[],
  parent: readonly string[],
): string | undefined {
  const parentParts = parent.map(toOriginParts);
  return child.find((origin) => {
    const childParts = toOriginParts(origin);
    return !parentParts.some((parts) => isCovered(childParts, parts));
  });
}

/** Says whether the parent matches every page that the child matches. */
function isCovered(child: OriginParts, parent: OriginParts): boolean {
  const host = parent.wildcard
    ? child.host.endsWith(`.${parent.host}`) || (child.wildcard && child.host === parent.host)
    : child.host === parent.host && !child.wildcard;
  const port = parent.port === '*' || child.port === parent.port;
  return host && port && child.scheme === parent.scheme;
}
