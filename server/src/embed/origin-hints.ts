import { matchesOrigin } from '@cloche/contract/origin';
import { isLoopback } from '@cloche/contract/origin-host';
import { toOriginParts } from '@cloche/contract/origin-parts';
import { isValidOrigin } from '../tokens/origins.ts';

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
