import { quoteOriginText, throwOriginError } from './origin-errors.ts';

const MAX_HOST_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;

/** What reading a host asks of the world; given by the caller, so that this file depends on nothing. */
export type DomainRules = {
  /** The host in ASCII as a browser would send it, or `undefined` where it has no such form. */
  toAscii(host: string): string | undefined;
  /** The host in letters; labels that are not valid Punycode stay as they are. */
  toUnicode(host: string): string;
  /** Says whether anybody may own names right under this host: `co.uk`, `github.io`, `com`. */
  isPublicSuffix(host: string): boolean;
};

/** Says whether a host (canonical) is the visitor's own machine: `localhost`, `*.localhost`, 127/8. */
export function isLoopback(host: string): boolean {
  return /(^|\.)localhost$|^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Gives a host in lower-case ASCII, spelt in one way only. */
export function parseHost(typed: string, names: DomainRules): string {
  const quoted = quoteOriginText(typed);
  const odd = /[^a-z0-9.\u0080-\uffff-]/i.exec(typed)?.[0];
  if (odd !== undefined) {
    const detail = `The host ${quoted} holds ${quoteOriginText(odd)}, which no browser matches in a host.`;
    throwOriginError('forbidden-character', `${detail} Use letters, digits, hyphens and dots.`);
  }
  if (typed.split('.').includes('')) {
    throwOriginError(
      'empty-label',
      `The host ${quoted} has two dots together, or begins with one. Remove it.`,
    );
  }
  // Letter by letter: a whole word would turn its last sigma into a final one, and browsers do not.
  const lower = Array.from(typed, (letter) => letter.toLowerCase()).join('');
  if (/^[a-z0-9.-]+$/.test(lower) && !/(^|\.)xn--/.test(lower)) return lower;

  const ascii = names.toAscii(lower);
  const letters = ascii === undefined ? '' : names.toUnicode(ascii);
  if (ascii === undefined || !isValidIdn(ascii, letters, names)) {
    const detail = `The host ${quoted} has no form that browsers could send.`;
    throwOriginError(
      'bad-idn',
      `${detail} Copy the name from the address bar, or its "xn--" spelling.`,
    );
  }
  if (lower !== letters && lower !== ascii) {
    const detail = `The host ${quoted} is read by browsers as ${quoteOriginText(letters)}.`;
    throwOriginError('idn-not-canonical', `${detail} If that is your site, write it so.`);
  }
  return ascii;
}

/** Says whether a host in ASCII is plain, and each of its Punycode labels stands for real letters. */
function isValidIdn(ascii: string, letters: string, names: DomainRules): boolean {
  const plain = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(ascii);
  return plain && !/(^|\.)xn--/.test(letters) && names.toAscii(letters) === ascii;
}

/** Refuses a host that is too long, or an IPv4 address spelt in a way of its own. */
export function assertValidHost(host: string): void {
  const labels = host.split('.');
  if (host.length > MAX_HOST_LENGTH) {
    throwOriginError(
      'too-long',
      `The host ${quoteOriginText(host)} is longer than ${MAX_HOST_LENGTH} characters.`,
    );
  }
  if (labels.some((label) => label.length > MAX_LABEL_LENGTH)) {
    const detail = `The host ${quoteOriginText(host)} has a part longer than ${MAX_LABEL_LENGTH} characters.`;
    throwOriginError('label-too-long', `${detail} Check the spelling.`);
  }
  if (endsInNumber(host) && !(labels.length === 4 && labels.every(isIpv4Octet))) {
    const detail = `${quoteOriginText(host)} ends in a number, so browsers read it as an IPv4 address.`;
    throwOriginError(
      'non-canonical-ipv4',
      `${detail} Write four numbers from 0 to 255: "127.0.0.1".`,
    );
  }
}

/** Refuses a star before a host under which it would mean nothing, or everybody. */
export function assertWildcardAllowed(host: string, names: DomainRules): void {
  if (endsInNumber(host)) {
    const detail = `"*.${host}": an address has no subdomains. List the address without the star`;
    throwOriginError('wildcard-needs-a-name', `${detail}, or a name: "https://*.shop.example".`);
  }
  if (names.isPublicSuffix(host)) {
    const detail = `${quoteOriginText(`*.${host}`)} would admit the sites of everybody under "${host}".`;
    throwOriginError(
      'public-suffix',
      `${detail} List your own names there: "https://your-name.${host}".`,
    );
  }
}

/** Says whether a browser would read this host as an IPv4 address (the URL standard's rule). */
function endsInNumber(host: string): boolean {
  return /(^|\.)(\d+|0x[0-9a-f]*)$/.test(host);
}

function isIpv4Octet(label: string): boolean {
  return /^(0|[1-9]\d{0,2})$/.test(label) && Number(label) <= 255;
}
