import { quoteOriginText, throwOriginError } from './origin-errors.ts';

const MAX_HOST_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;

/** IDNA and the Public Suffix List. The caller passes them in, so that `contract` needs no package for them. */
export type DomainRules = {
  /** The host in ASCII, as a browser sends it, or `undefined` if the host is invalid. */
  toAscii(host: string): string | undefined;
  /** The host in Unicode. Labels that are not valid Punycode are returned unchanged. */
  toUnicode(host: string): string;
  /** Whether anyone can register names directly under this host: `co.uk`, `github.io`, `com`. */
  isPublicSuffix(host: string): boolean;
  /**
   * The domain that was registered: `shop.co.uk` for `www.shop.co.uk`. Suffixes of companies do not count, because
   * `www.your-name.github.io` is not a common address. `undefined` for IP addresses and suffixes.
   */
  findApex(host: string): string | undefined;
};

/** Says whether a canonical host is a loopback host: `localhost`, `*.localhost`, 127.0.0.0/8. */
export function isLoopback(host: string): boolean {
  return /(^|\.)localhost$|^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Says whether the host of a listed origin, whose port may be `*`, is a loopback host. */
export function isLoopbackOrigin(origin: string): boolean {
  return isLoopback(origin.replace(/^https?:\/\//, '').replace(/:[\d*]+$/, ''));
}

/**
 * Returns the host in canonical form: ASCII, lower case. `suggest` says what to write instead.
 *
 * @throws {Problem} origin.invalid
 */
export function parseHost(
  host: string,
  rules: DomainRules,
  suggest: (host: string) => string,
): string {
  const quoted = quoteOriginText(host);
  const forbidden = /[^a-z0-9.\u0080-\uffff-]/i.exec(host)?.[0];
  if (forbidden !== undefined) {
    const detail = `The host ${quoted} contains ${quoteOriginText(forbidden)}, which browsers do not allow in a host.`;
    throwOriginError('forbidden-character', `${detail} Use letters, digits, hyphens and dots.`);
  }
  if (host.split('.').includes('')) {
    throwOriginError(
      'empty-label',
      `The host ${quoted} starts with a dot or has two dots in a row. Remove the extra dot.`,
    );
  }
  // Character by character: `toLowerCase` of a word turns its last sigma into a final sigma, which
  // browsers do not do.
  const lowerCase = Array.from(host, (character) => character.toLowerCase()).join('');
  if (/^[a-z0-9.-]+$/.test(lowerCase) && !/(^|\.)xn--/.test(lowerCase)) return lowerCase;

  const ascii = rules.toAscii(lowerCase);
  const unicode = ascii === undefined ? '' : rules.toUnicode(ascii);
  if (ascii === undefined || !isValidIdn(ascii, unicode, rules)) {
    const detail = `The host ${quoted} is not a valid internationalized domain name.`;
    throwOriginError(
      'bad-idn',
      `${detail} Copy the name from the address bar, or use its "xn--" form.`,
    );
  }
  if (lowerCase !== unicode && lowerCase !== ascii) {
    const detail = `Browsers read the host ${quoted} as ${quoteOriginText(unicode)}.`;
    throwOriginError('idn-not-canonical', `${detail} If that is your site: ${suggest(unicode)}`);
  }
  return ascii;
}

/** Says whether the ASCII form is well formed, and encoding the Unicode form returns the ASCII form. */
function isValidIdn(ascii: string, unicode: string, rules: DomainRules): boolean {
  const wellFormed = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(ascii);
  return wellFormed && !/(^|\.)xn--/.test(unicode) && rules.toAscii(unicode) === ascii;
}

/**
 * Asserts that a host is short enough and, if it is an IPv4 address, canonical.
 *
 * @throws {Problem} origin.invalid
 */
export function assertValidHost(host: string): void {
  const labels = host.split('.');
  if (host.length > MAX_HOST_LENGTH) {
    throwOriginError(
      'too-long',
      `The host ${quoteOriginText(host)} is longer than ${MAX_HOST_LENGTH} characters.`,
    );
  }
  if (labels.some((label) => label.length > MAX_LABEL_LENGTH)) {
    const detail = `The host ${quoteOriginText(host)} has a label longer than ${MAX_LABEL_LENGTH} characters.`;
    throwOriginError('label-too-long', `${detail} Check the spelling.`);
  }
  if (endsInNumber(host) && !(labels.length === 4 && labels.every(isIpv4Octet))) {
    const detail = `${quoteOriginText(host)} ends in a number, so browsers read it as an IPv4 address.`;
    throwOriginError(
      'non-canonical-ipv4',
      `${detail} Write four numbers from 0 to 255, such as "http://127.0.0.1".`,
    );
  }
}

/**
 * Asserts that the host after `*.` is neither an IP address nor a public suffix.
 *
 * @throws {Problem} origin.invalid
 */
export function assertWildcardAllowed(
  host: string,
  rules: DomainRules,
  suggest: (origin: string) => string,
): void {
  if (endsInNumber(host)) {
    const detail = `${quoteOriginText(`*.${host}`)}: an IP address has no subdomains.`;
    throwOriginError(
      'wildcard-needs-a-name',
      `${detail} Use a name, such as "https://*.shop.example", or list the address: ${suggest(`http://${host}`)}`,
    );
  }
  if (rules.isPublicSuffix(host)) {
    const detail = `${quoteOriginText(`*.${host}`)} would allow the sites of everyone under "${host}".`;
    throwOriginError(
      'public-suffix',
      `${detail} List your own names instead: ${suggest(`https://your-name.${host}`)}`,
    );
  }
}

/** Says whether browsers read the host as an IPv4 address (the rule of the URL standard). */
function endsInNumber(host: string): boolean {
  return /(^|\.)(\d+|0x[0-9a-f]*)$/.test(host);
}

function isIpv4Octet(label: string): boolean {
  return /^(0|[1-9]\d{0,2})$/.test(label) && Number(label) <= 255;
}
