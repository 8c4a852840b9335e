import assert from 'node:assert/strict';
import { domainToASCII, domainToUnicode } from 'node:url';
import type { DomainRules } from '@cloche/contract/origin-host';
import { parseOrigin } from '@cloche/contract/origin-parser';
import { Problem } from '@cloche/contract/problem';
import { getDomain, getPublicSuffix } from 'tldts';

/** Maximum number of origins of a token. */
export const MAX_ORIGINS = 20;

/** The parts of a listed origin. `port` is empty for the default port, and `*` for any port. */
export type OriginParts = {
  scheme: 'http' | 'https';
  wildcard: boolean;
  host: string;
  port: string;
};

/**
 * Cloud domains that are not public suffixes but contain some: `amazonaws.com` contains
 * `s3.amazonaws.com`. A wildcard directly below them would allow the sites of other
 * customers.
 */
const SHARED_CLOUD_DOMAINS = new Set([
  'amazonaws.com',
  'amazonaws.com.cn',
  'amazoncognito.com',
  'bubble.io',
  'canva.site',
  'clever-cloud.com',
  'fastly.net',
  'linode.com',
  'linodeusercontent.com',
  'on.aws',
  'platform.sh',
  'railway.app',
  'render.com',
  'sagemaker.aws',
  'scw.cloud',
  'windows.net',
]);

const SUFFIX_OPTIONS = { allowPrivateDomains: true, extractHostname: false };

/** Node's IDNA, and the Public Suffix List including its private section. */
export const domainRules: DomainRules = {
  toAscii: (host) => domainToASCII(host) || undefined,
  toUnicode: domainToUnicode,
  isPublicSuffix: (host) =>
    getPublicSuffix(host, SUFFIX_OPTIONS) === host ||
    SHARED_CLOUD_DOMAINS.has(getDomain(host, SUFFIX_OPTIONS) ?? ''),
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
 * Splits a canonical origin into its parts.
 *
 * Used before an origin is written into a header or compared with another. A text that `parseOrigin`
 * did not return fails the assertion, even if it comes from the database.
 */
export function toOriginParts(origin: string): OriginParts {
  const canonical =
    /^(?<scheme>https?):\/\/(?<star>\*\.(?=[^.]+\.))?(?<host>[a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::(?<port>[1-9]\d{0,4}|\*))?$/;
  const groups = canonical.exec(origin)?.groups;
  assert(groups, 'The listed origin is not canonical.');
  return {
    scheme: groups.scheme === 'http' ? 'http' : 'https',
    wildcard: groups.star !== undefined,
    host: groups.host ?? '',
    port: groups.port ?? '',
  };
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
