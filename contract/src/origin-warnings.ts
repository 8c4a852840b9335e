import { isOriginAllowed } from './origin.ts';
import { type DomainRules, isLoopback } from './origin-host.ts';
import { type OriginParts, toOriginParts } from './origin-parts.ts';
import { SHARED_HOSTS } from './shared-domains.ts';

/** A likely mistake in a listed origin. The origin itself is valid. */
export type OriginWarning = {
  origin: string;
  code: 'plain-http' | 'www-missing' | 'apex-missing' | 'shared-host' | 'bare-suffix';
  detail: string;
};

/**
 * Returns the warnings about the origins of a token, in their order. The origins are canonical.
 *
 * @example collectOriginWarnings(['http://shop.example'], rules).map(({ code }) => code) // ['plain-http', 'www-missing']
 */
export function collectOriginWarnings(
  origins: readonly string[],
  rules: DomainRules,
): OriginWarning[] {
  return origins.flatMap((origin) => {
    const parts = toOriginParts(origin);
    if (isLoopback(parts.host)) return [];
    return [
      ...checkScheme(origin, parts),
      ...checkSharedHost(origin, parts, rules),
      ...checkWwwVariant(origin, parts, { origins, rules }),
    ];
  });
}

function checkScheme(origin: string, { scheme }: OriginParts): OriginWarning[] {
  if (scheme === 'https') return [];
  const detail = `${origin} uses http: others can change such a page in transit, and the https page is not included. List ${origin.replace('http:', 'https:')}.`;
  return [{ origin, code: 'plain-http', detail }];
}

function checkSharedHost(
  origin: string,
  { wildcard, host }: OriginParts,
  rules: DomainRules,
): OriginWarning[] {
  if (wildcard && SHARED_HOSTS.has(host)) {
    const detail = `${origin} includes the sites of everybody under ${host}. List your own: https://your-name.${host}.`;
    return [{ origin, code: 'shared-host', detail }];
  }
  if (!wildcard && host.includes('.') && !isIpv4Address(host) && rules.isPublicSuffix(host)) {
    const detail = `${origin} is only the host itself and does not include the sites under it. List your own: https://your-name.${host}.`;
    return [{ origin, code: 'bare-suffix', detail }];
  }
  return [];
}

/** Warns if only one of a registrable domain and its `www.` subdomain is listed. */
function checkWwwVariant(
  origin: string,
  parts: OriginParts,
  { origins, rules }: { origins: readonly string[]; rules: DomainRules },
): OriginWarning[] {
  const apex = rules.findApex(parts.host);
  const isApex = parts.host === apex;
  const isWww = parts.host === `www.${apex}`;
  if (!(isApex || isWww) || rules.isPublicSuffix(parts.host)) return [];

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
