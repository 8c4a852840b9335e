import { Problem } from '@cloche/contract/problem';

/** Longer URLs are not those of pages. */
const MAX_URL_LENGTH = 2000;

/**
 * Parses the URL of a page, or the target of a redirect. The fragment is removed: it is not sent.
 *
 * @throws {Problem} page.url
 */
export function parsePageUrl(text: string, base?: URL): URL {
  const subject = base === undefined ? '' : 'the target of a redirect ';
  const url =
    text.length <= MAX_URL_LENGTH ? (URL.parse(text, base?.href) ?? undefined) : undefined;
  if (url === undefined) {
    throw createUrlError(
      'malformed',
      `${subject}is not a complete URL, such as https://shop.example/chairs`,
    );
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw createUrlError('scheme', `${subject}must begin with https:// or http://`);
  }
  if (url.username !== '' || url.password !== '') {
    throw createUrlError(
      'credentials',
      `${subject}contains a user name or a password. Only pages that anyone can open are checked`,
    );
  }
  url.hash = '';
  return url;
}

/** The port of a URL, also if it is the default port. */
export function toPort({ port, protocol }: URL): number {
  return port === ''
    ? { 'http:': 80, 'https:': 443 }[protocol as 'http:' | 'https:']
    : Number(port);
}

/** The host of a URL as programs other than browsers write it: an IPv6 address has no brackets. */
export function toHost({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function createUrlError(reason: string, explanation: string): Problem {
  return new Problem('page.url', {
    field: 'url',
    reason,
    detail: `url: ${explanation}.`,
  });
}
