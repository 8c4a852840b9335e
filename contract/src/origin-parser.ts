import { quoteOriginText, throwOriginError } from './origin-errors.ts';
import {
  assertValidHost,
  assertWildcardAllowed,
  type DomainRules,
  isLoopback,
  parseHost,
} from './origin-host.ts';

/** An origin has at most 267 characters. Text up to this length is still parsed, for a helpful error. */
const MAX_TEXT_LENGTH = 2048;

const DEFAULT_PORTS: Record<string, string> = { http: '80', https: '443' };
const EXAMPLE = '"https://shop.example"';

/** Says what to write instead: the candidate, if it is valid, else an example. */
type Suggest = (candidate: string) => string;

/**
 * Parses an origin that a person wrote, and returns its canonical form: lower case, ASCII, without the
 * default port. Parsing the result again returns the same text.
 *
 * The syntax is `<scheme>://<host>[:port]` with http or https. The first label of the host may be `*`,
 * and the port of a loopback host may be `*`.
 *
 * Does not use `new URL()`: the result is written into a Content-Security-Policy, and `new URL()`
 * accepts `https://*`, `https://a.test;sandbox` and `http://127.1`, and repairs other invalid text.
 *
 * @throws {Problem} origin.invalid, with an `OriginErrorReason` and a correction. A correction never
 *   proposes an origin that is invalid.
 * @example parseOrigin('https://BÜCHER.example:443', rules) // 'https://xn--bcher-kva.example'
 */
export function parseOrigin(text: unknown, rules: DomainRules): string {
  const suggest: Suggest = (candidate) =>
    `Write ${findSuggestion(candidate, rules) ?? `an origin such as ${EXAMPLE}`}.`;
  const { scheme, authority, tail } = splitOrigin(parseOriginText(text), suggest);
  const { hostText, portText } = splitAuthority(scheme, authority, suggest);
  const { wildcard, name } = splitWildcard(scheme, hostText, suggest);

  const host = parseHost(name, rules, (corrected) =>
    suggest(`${scheme}://${wildcard ? '*.' : ''}${corrected}`),
  );
  if (wildcard) assertWildcardAllowed(host, rules, suggest);
  assertValidHost(host);

  const hostOrigin = `${scheme}://${wildcard ? '*.' : ''}${host}`;
  const origin = `${hostOrigin}${parsePort(scheme, host, portText, hostOrigin)}`;
  assertNoTail(tail, origin);
  return origin;
}

/** Returns the candidate in quotation marks if it is a valid origin and can be quoted unchanged. */
function findSuggestion(candidate: string, rules: DomainRules): string | undefined {
  const quoted = quoteOriginText(candidate);
  if (quoted !== `"${candidate}"`) return undefined;
  try {
    parseOrigin(candidate, rules);
    return quoted;
  } catch {
    // Why the candidate is invalid makes no difference.
    return undefined;
  }
}

function parseOriginText(text: unknown): string {
  if (typeof text !== 'string')
    throwOriginError('not-a-string', `An origin is a string such as ${EXAMPLE}.`);
  if (text === '') throwOriginError('empty', `The origin is empty. Write one such as ${EXAMPLE}.`);
  if (text.length > MAX_TEXT_LENGTH) {
    throwOriginError(
      'too-long',
      `${quoteOriginText(text)} is too long for an origin. Write one such as ${EXAMPLE}.`,
    );
  }
  if (/[\s\p{Cc}]/u.test(text)) {
    const detail = `${quoteOriginText(text)} contains a space, a line break or a control character.`;
    throwOriginError('whitespace-or-control', `${detail} List each origin as an entry of its own.`);
  }
  if (text === 'null') {
    const detail =
      '"null" is the origin of sandboxed frames and of files opened from disk, so anyone can send it.';
    throwOriginError(
      'opaque-origin',
      `${detail} Serve the page from a site, and list the origin of that site, such as ${EXAMPLE}.`,
    );
  }
  return text;
}

function splitOrigin(
  text: string,
  suggest: Suggest,
): { scheme: string; authority: string; tail: string } {
  // A scheme cannot contain "*". It is matched so that "http*://…" gets a helpful error.
  const match = /^([a-z][a-z0-9+.*-]*):(\/\/)?(.*)$/i.exec(text);
  const [, schemeText = '', slashes, afterScheme = ''] = match ?? [];
  const scheme = schemeText.toLowerCase();
  const isWeb = scheme === 'http' || scheme === 'https';

  // "localhost:3000" matches as a scheme, but is a host and a port.
  if (!match || (!isWeb && !slashes && /^\d/.test(afterScheme))) {
    const correction = suggest(`https://${text.replace(/^.*?:?\/\//, '')}`);
    throwOriginError(
      'missing-scheme',
      `${quoteOriginText(text)} does not begin with http:// or https://. ${correction}`,
    );
  }
  if (!slashes) {
    const detail = `${quoteOriginText(text)} has no host: "${scheme.slice(0, 20)}:" is not followed by "//".`;
    throwOriginError('missing-authority', `${detail} Write an origin such as ${EXAMPLE}.`);
  }
  if (!isWeb) {
    const detail = `${quoteOriginText(text)} is not a web origin: only http and https pages can be listed.`;
    throwOriginError('scheme-not-allowed', `${detail} Write one such as ${EXAMPLE}.`);
  }
  const end = afterScheme.search(/[/?#]/);
  if (end < 0) return { scheme, authority: afterScheme, tail: '' };
  return { scheme, authority: afterScheme.slice(0, end), tail: afterScheme.slice(end) };
}

function splitAuthority(
  scheme: string,
  authority: string,
  suggest: Suggest,
): { hostText: string; portText: string | undefined } {
  const quoted = quoteOriginText(`${scheme}://${authority}`);
  if (authority.includes('@')) {
    const correction = suggest(`${scheme}://${authority.slice(authority.lastIndexOf('@') + 1)}`);
    throwOriginError(
      'userinfo-not-allowed',
      `${quoted} has a user name before the "@". ${correction}`,
    );
  }
  if (authority.includes('%')) {
    const detail = `${quoted} is percent-encoded.`;
    throwOriginError(
      'percent-encoding-not-allowed',
      `${detail} Write the host without percent-encoding.`,
    );
  }
  if (authority.startsWith('[')) {
    const detail = `${quoted} is an IPv6 address, which browsers do not support in frame-ancestors.`;
    throwOriginError(
      'ipv6-not-supported',
      `${detail} List a host name instead, such as "${scheme}://localhost".`,
    );
  }
  const colon = authority.indexOf(':');
  const hostText = colon < 0 ? authority : authority.slice(0, colon);
  const portText = colon < 0 ? undefined : authority.slice(colon + 1);
  if (hostText === '') {
    throwOriginError('empty-host', `${quoted} has no host. Write an origin such as ${EXAMPLE}.`);
  }
  return { hostText, portText };
}

function splitWildcard(
  scheme: string,
  hostText: string,
  suggest: Suggest,
): { wildcard: boolean; name: string } {
  if (hostText.endsWith('.')) {
    const detail = `The host ${quoteOriginText(hostText)} ends in a dot, which makes it a different origin.`;
    throwOriginError(
      'trailing-dot',
      `${detail} ${suggest(`${scheme}://${hostText.slice(0, -1)}`)}`,
    );
  }
  const wildcard = hostText.startsWith('*.');
  const name = wildcard ? hostText.slice(2) : hostText;
  if (name.includes('*')) {
    const detail = `The "*" in ${quoteOriginText(hostText)} must be the whole first label, and the only "*".`;
    throwOriginError('wildcard-must-be-a-left-label', `${detail} Write "https://*.shop.example".`);
  }
  return { wildcard, name };
}

/** Returns `:port`, or an empty string for the default port. */
function parsePort(
  scheme: string,
  host: string,
  text: string | undefined,
  hostOrigin: string,
): string {
  if (text === undefined || text === DEFAULT_PORTS[scheme]) return '';
  if (text === '*') {
    if (isLoopback(host)) return ':*';
    const detail = `Any port (":*") is allowed for loopback hosts such as localhost only, not for "${host}".`;
    throwOriginError(
      'wildcard-port-needs-loopback',
      `${detail} Write the port, or leave it out for the default port.`,
    );
  }
  if (!/^[1-9]\d{0,4}$/.test(text) || Number(text) > 65535) {
    const detail = `${quoteOriginText(text)} is not a port, which is a number from 1 to 65535 without leading zeros.`;
    throwOriginError('bad-port', `${detail} Leave it out for the default port: "${hostOrigin}".`);
  }
  return `:${text}`;
}

/** Rejects text after the origin. The origin is valid here, so the error can suggest it. */
function assertNoTail(tail: string, origin: string): void {
  if (tail === '') return;
  const quoted = quoteOriginText(origin + tail);
  const correction = `Write "${origin}"`;
  if (tail.includes('#')) {
    throwOriginError(
      'fragment-not-allowed',
      `${quoted} has a fragment ("#"). ${correction} without it.`,
    );
  }
  if (tail.includes('?')) {
    throwOriginError('query-not-allowed', `${quoted} has a query ("?"). ${correction} without it.`);
  }
  if (tail === '/') {
    throwOriginError(
      'trailing-slash',
      `${quoted} ends in a slash, which is a path. ${correction} without it.`,
    );
  }
  throwOriginError(
    'path-not-allowed',
    `${quoted} has a path; an origin has none. ${correction} without the path.`,
  );
}
