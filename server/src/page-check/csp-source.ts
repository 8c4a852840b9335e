/** A URL is compared with the sources of a policy of the page at this URL. */
export type SourceContext = { url: URL; page: URL };

const DEFAULT_PORTS: Readonly<Record<string, string>> = {
  'http:': '80',
  'https:': '443',
  'ws:': '80',
  'wss:': '443',
};
const HOST_SOURCE =
  /^(?:(?<scheme>[a-z][a-z\d+.-]*):\/\/)?(?<host>\*|(?:\*\.)?[a-z\d_-]+(?:\.[a-z\d_-]+)*\.?|\[[\da-f:.]+\])(?::(?<port>\d+|\*))?(?<path>\/[^?#]*)?$/i;

/** Says whether a source of a Content-Security-Policy matches a URL, as CSP Level 3 defines it. */
export function matchesSource(source: string, { url, page }: SourceContext): boolean {
  const text = source.toLowerCase();
  if (text === '*') return isNetworkUrl(url) || url.protocol === page.protocol;
  if (text === "'self'") return matchesSelf(url, page);
  const scheme = /^([a-z][a-z\d+.-]*:)$/.exec(text)?.[1];
  if (scheme !== undefined) return matchesScheme(scheme, url);
  // Keywords, nonces and hashes say nothing about a URL.
  const { groups } = HOST_SOURCE.exec(source) ?? {};
  if (groups === undefined) return false;
  const sourceScheme =
    groups.scheme === undefined ? page.protocol : `${groups.scheme.toLowerCase()}:`;
  return (
    matchesScheme(sourceScheme, url) &&
    matchesHost(groups.host?.toLowerCase() ?? '', url.hostname) &&
    matchesPort(groups.port, groups.scheme === undefined ? undefined : sourceScheme, url) &&
    matchesPath(groups.path ?? '', url.pathname)
  );
}

function isNetworkUrl({ protocol }: URL): boolean {
  return protocol in DEFAULT_PORTS;
}

/** A secure scheme matches in place of the insecure one. */
function matchesScheme(scheme: string, { protocol }: URL): boolean {
  return scheme === protocol || (scheme === 'http:' && protocol === 'https:');
}

function matchesSelf(url: URL, page: URL): boolean {
  if (url.origin === page.origin) return true;
  const isUpgrade = page.protocol === 'http:' && url.protocol === 'https:';
  const haveDefaultPorts = url.port === '' && page.port === '';
  return (
    isUpgrade && url.hostname === page.hostname && (haveDefaultPorts || url.port === page.port)
  );
}

function matchesHost(pattern: string, host: string): boolean {
  if (pattern === '*') return true;
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
}

function matchesPort(port: string | undefined, scheme: string | undefined, url: URL): boolean {
  if (port === '*') return true;
  const actual = url.port || DEFAULT_PORTS[url.protocol];
  if (port === undefined) return actual === DEFAULT_PORTS[url.protocol];
  return port === actual || (port === '80' && scheme !== 'https:' && actual === '443');
}

function matchesPath(pattern: string, path: string): boolean {
  if (pattern === '' || pattern === '/') return true;
  const decoded = decode(pattern);
  return decoded.endsWith('/') ? decode(path).startsWith(decoded) : decode(path) === decoded;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not percent-encoded: compared as it is.
    return text;
  }
}
