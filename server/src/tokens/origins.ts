import assert from 'node:assert/strict';
import { domainToASCII, domainToUnicode } from 'node:url';
import type { DomainRules } from '@cloche/contract/origin-host';
import { parseOrigin } from '@cloche/contract/origin-parser';
import { Problem } from '@cloche/contract/problem';
import { getDomain, getPublicSuffix } from 'tldts';

export const MAX_ORIGINS = 20;

/** A listed origin in its parts; `port` is empty where it goes without saying, `*` for any. */
export type OriginParts = {
  scheme: 'http' | 'https';
  wildcard: boolean;
  host: string;
  port: string;
};

/**
 * Clouds that stand above public suffixes without being one (`amazonaws.com` over
 * `s3.amazonaws.com`): a star right under them would still admit strangers.
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

/** Names as this machine knows them: Node's IDNA, and the Public Suffix List with its private part. */
export const domainRules: DomainRules = {
  toAscii: (host) => domainToASCII(host) || undefined,
  toUnicode: domainToUnicode,
  isPublicSuffix: (host) =>
    getPublicSuffix(host, SUFFIX_OPTIONS) === host ||
    SHARED_CLOUD_DOMAINS.has(getDomain(host, SUFFIX_OPTIONS) ?? ''),
};

/**
 * Reads the origins of a token, each once, in the order given.
 *
 * @throws {Problem} origin.invalid, its field naming the entry (`origins[2]`), or request.invalid
 *   when there are more than `MAX_ORIGINS`
 */
export function parseOrigins(list: readonly unknown[], field = 'origins'): string[] {
  if (list.length > MAX_ORIGINS) {
    const detail = `${field} lists ${list.length} origins, and a token has at most ${MAX_ORIGINS}. Use "https://*.shop.example" for many subdomains, or make another token.`;
    throw new Problem('request.invalid', { field, detail });
  }
  return [...new Set(list.map((text, index) => parseEntry(text, `${field}[${index}]`)))];
}

function parseEntry(text: unknown, field: string): string {
  try {
    return parseOrigin(text, domainRules);
  } catch (cause) {
    // Only to say which entry it was.
    if (!(cause instanceof Problem) || cause.reason === undefined) throw cause;
    throw new Problem(cause.code, { detail: cause.message, reason: cause.reason, field, cause });
  }
}

/**
 * Takes a listed origin (canonical) apart.
 *
 * Whoever writes an origin into a header or compares reach goes through here: a text that did not
 * come from `readOrigin` fails the assertion, whatever the database holds.
 */
export function toOriginParts(origin: string): OriginParts {
  const canonical =
    /^(?<scheme>https?):\/\/(?<star>\*\.(?=[^.]+\.))?(?<host>[a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::(?<port>[1-9]\d{0,4}|\*))?$/;
  const groups = canonical.exec(origin)?.groups;
  assert(groups, 'a listed origin is not canonical');
  return {
    scheme: groups.scheme === 'http' ? 'http' : 'https',
    wildcard: groups.star !== undefined,
    host: groups.host ?? '',
    port: groups.port ?? '',
  };
}

/**
 * Finds the first origin of a child token that its parent's list does not wholly admit.
 *
 * A parent without origins is not asked here: an empty list admits nothing.
 */
export function findUncoveredOrigin(
  child: readonly string[],
  parent: readonly string[],
): string | undefined {
  const roofs = parent.map(toOriginParts);
  return child.find((origin) => {
    const parts = toOriginParts(origin);
    return !roofs.some((roof) => isCovered(parts, roof));
  });
}

/** Says whether every page the child admits is admitted by the parent too. */
function isCovered(child: OriginParts, parent: OriginParts): boolean {
  const host = parent.wildcard
    ? child.host.endsWith(`.${parent.host}`) || (child.wildcard && child.host === parent.host)
    : child.host === parent.host && !child.wildcard;
  const port = parent.port === '*' || child.port === parent.port;
  return host && port && child.scheme === parent.scheme;
}
