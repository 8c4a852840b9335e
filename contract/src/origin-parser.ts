import { quoteOriginText, throwOriginError } from './origin-errors.ts';
import {
  assertValidHost,
  assertWildcardAllowed,
  type DomainRules,
  isLoopback,
  parseHost,
} from './origin-host.ts';

/**
 * How a listed origin is written: `<scheme>://<host>[:port]`, http or https, perhaps with `*.` as the
 * whole left label, or `:*` as the port of a loopback host.
 *
 * A grammar of our own, because what is read here is later written into a Content-Security-Policy.
 * `new URL()` takes `https://*`, `https://a.test;sandbox` and `http://127.1`, and mends the rest.
 */

/** No origin is longer than 267 characters; a pasted address may be, and deserves a better answer. */
const MAX_TEXT_LENGTH = 2048;

const DEFAULT_PORTS: Record<string, string> = { http: '80', https: '443' };
const EXAMPLE = '"https://shop.example"';

/**
 * Reads an origin as a person wrote it, and gives it as it is kept: lower case, in ASCII, without the
 * port that goes without saying. Reading what it gave gives the same again.
 *
 * @throws {Problem} origin.invalid, with an `OriginReason` and the cure
 * @example readOrigin('https://BÜCHER.example:443', names) // 'https://xn--bcher-kva.example'
 */
export function parseOrigin(text: unknown, names: DomainRules): string {
  const { scheme, authority, tail } = splitOrigin(parseOriginText(text));
  const { typedHost, typedPort } = splitAuthority(scheme, authority);
  const { wildcard, name } = splitWildcard(typedHost);

  const host = parseHost(name, names);
  if (wildcard) assertWildcardAllowed(host, names);
  assertValidHost(host);

  const port = parsePort(scheme, host, typedPort);
  const origin = `${scheme}://${wildcard ? '*.' : ''}${host}${port}`;
  assertNoTail(tail, origin);
  return origin;
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
    const detail = `${quoteOriginText(text)} holds a space, a line break or a control character.`;
    throwOriginError(
      'whitespace-or-control',
      `${detail} Write one origin for each entry of the list.`,
    );
  }
  if (text === 'null') {
    const detail = '"null" is what sandboxed frames and files opened from disk send; anyone can.';
    throwOriginError(
      'opaque-origin',
      `${detail} Serve the page from a site, and list that: ${EXAMPLE}.`,
    );
  }
  return text;
}

function splitOrigin(text: string): { scheme: string; authority: string; tail: string } {
  // The star is no part of a scheme; it is here so that "http*://…" hears what is wrong with it.
  const match = /^([a-z][a-z0-9+.*-]*):(\/\/)?(.*)$/i.exec(text);
  const [, head = '', slashes, rest = ''] = match ?? [];
  const scheme = head.toLowerCase();
  const web = scheme === 'http' || scheme === 'https';

  // "localhost:3000" looks like a scheme and is a host with its port.
  if (!match || (!web && !slashes && /^\d/.test(rest))) {
    const cure = quoteOriginText(`https://${text.replace(/^.*?:?\/\//, '')}`);
    throwOriginError(
      'missing-scheme',
      `${quoteOriginText(text)} does not begin with http:// or https://. Write ${cure}.`,
    );
  }
  if (!slashes) {
    const detail = `${quoteOriginText(text)} names no host: "//" does not follow "${scheme.slice(0, 20)}:".`;
    throwOriginError('missing-authority', `${detail} Write an origin such as ${EXAMPLE}.`);
  }
  if (!web) {
    const detail = `${quoteOriginText(text)} is not a web origin: only http and https pages can be listed.`;
    throwOriginError('scheme-not-allowed', `${detail} Write one such as ${EXAMPLE}.`);
  }
  const end = rest.search(/[/?#]/);
  if (end < 0) return { scheme, authority: rest, tail: '' };
  return { scheme, authority: rest.slice(0, end), tail: rest.slice(end) };
}

function splitAuthority(
  scheme: string,
  authority: string,
): { typedHost: string; typedPort: string | undefined } {
  const whole = quoteOriginText(`${scheme}://${authority}`);
  if (authority.includes('@')) {
    const cure = quoteOriginText(`${scheme}://${authority.slice(authority.lastIndexOf('@') + 1)}`);
    throwOriginError(
      'userinfo-not-allowed',
      `${whole} holds a user before the "@". Write ${cure}.`,
    );
  }
  if (authority.includes('%')) {
    const detail = `${whole} is percent-encoded.`;
    throwOriginError('percent-encoding-not-allowed', `${detail} Write the host in plain letters.`);
  }
  if (authority.startsWith('[')) {
    const detail = `${whole} is an IPv6 address, and no browser lets one frame a design.`;
    throwOriginError(
      'ipv6-not-supported',
      `${detail} List a host name, such as "${scheme}://localhost".`,
    );
  }
  const colon = authority.indexOf(':');
  const typedHost = colon < 0 ? authority : authority.slice(0, colon);
  const typedPort = colon < 0 ? undefined : authority.slice(colon + 1);
  if (typedHost === '') {
    throwOriginError('empty-host', `${whole} names no host. Write an origin such as ${EXAMPLE}.`);
  }
  return { typedHost, typedPort };
}

function splitWildcard(typedHost: string): { wildcard: boolean; name: string } {
  if (typedHost.endsWith('.')) {
    const detail = `The host ${quoteOriginText(typedHost)} ends in a dot, which makes it another origin.`;
    throwOriginError('trailing-dot', `${detail} Remove the dot.`);
  }
  const wildcard = typedHost.startsWith('*.');
  const name = wildcard ? typedHost.slice(2) : typedHost;
  if (name.includes('*')) {
    const detail = `The star in ${quoteOriginText(typedHost)} must be the whole first label, and the only one.`;
    throwOriginError('wildcard-must-be-a-left-label', `${detail} Write "https://*.shop.example".`);
  }
  return { wildcard, name };
}

/** Gives `:port` as it is kept, or nothing for the default. */
function parsePort(scheme: string, host: string, typed: string | undefined): string {
  if (typed === undefined || typed === DEFAULT_PORTS[scheme]) return '';
  if (typed === '*') {
    if (isLoopback(host)) return ':*';
    const detail = `Any port (":*") is for loopback hosts such as localhost, not "${host}".`;
    throwOriginError(
      'wildcard-port-needs-loopback',
      `${detail} Write the port, or none for the usual one.`,
    );
  }
  if (!/^[1-9]\d{0,4}$/.test(typed) || Number(typed) > 65535) {
    const detail = `${quoteOriginText(typed)} is not a port: a number from 1 to 65535, without zeros before it.`;
    throwOriginError(
      'bad-port',
      `${detail} Leave it out for the usual one: "${scheme}://${host}".`,
    );
  }
  return `:${typed}`;
}

/** Refuses whatever follows the origin; all before it is sound by now, so the cure can be told. */
function assertNoTail(tail: string, origin: string): void {
  if (tail === '') return;
  const quoted = quoteOriginText(origin + tail);
  const cure = `Write "${origin}"`;
  if (tail.includes('#')) {
    throwOriginError('fragment-not-allowed', `${quoted} has a fragment ("#"). ${cure} without it.`);
  }
  if (tail.includes('?')) {
    throwOriginError('query-not-allowed', `${quoted} has a query ("?"). ${cure} without it.`);
  }
  if (tail === '/') {
    throwOriginError(
      'trailing-slash',
      `${quoted} ends in a slash, which is a path. ${cure} without it.`,
    );
  }
  throwOriginError(
    'path-not-allowed',
    `${quoted} has a path; an origin has none. ${cure} without the path.`,
  );
}
