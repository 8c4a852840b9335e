import type { DomainRules } from '@cloche/contract/origin-host';
import { SHARED_CLOUD_DOMAINS } from '@cloche/contract/shared-domains';
import { getDomain, getPublicSuffix } from 'tldts';
import { decodePunycode } from './decode-punycode.ts';

const SUFFIX_OPTIONS = { allowPrivateDomains: true, extractHostname: false };

/** The IDNA of the browser, and the Public Suffix List including its private section. */
export const browserDomainRules: DomainRules = {
  toAscii: (host) =>
    URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : undefined,
  toUnicode: (host) =>
    host.replace(/(?<=^|\.)xn--([^.]+)/g, (label, encoded) => decodePunycode(encoded) ?? label),
  isPublicSuffix: (host) =>
    getPublicSuffix(host, SUFFIX_OPTIONS) === host ||
    SHARED_CLOUD_DOMAINS.has(getDomain(host, SUFFIX_OPTIONS) ?? ''),
  findApex: (host) => getDomain(host) ?? undefined,
};
