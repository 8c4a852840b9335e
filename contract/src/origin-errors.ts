import { Problem } from './problem.ts';
import { quoteUntrusted } from './untrusted-text.ts';

const MAX_QUOTED_LENGTH = 100;

/** Why a text is not a valid origin: the `reason` of `origin.invalid`. */
export type OriginErrorReason =
  | 'not-a-string'
  | 'empty'
  | 'too-long'
  | 'whitespace-or-control'
  | 'opaque-origin'
  | 'missing-scheme'
  | 'missing-authority'
  | 'scheme-not-allowed'
  | 'userinfo-not-allowed'
  | 'percent-encoding-not-allowed'
  | 'ipv6-not-supported'
  | 'empty-host'
  | 'trailing-dot'
  | 'forbidden-character'
  | 'empty-label'
  | 'label-too-long'
  | 'bad-idn'
  | 'idn-not-canonical'
  | 'non-canonical-ipv4'
  | 'wildcard-must-be-a-left-label'
  | 'wildcard-needs-a-name'
  | 'wildcard-port-needs-loopback'
  | 'public-suffix'
  | 'bad-port'
  | 'trailing-slash'
  | 'path-not-allowed'
  | 'query-not-allowed'
  | 'fragment-not-allowed';

/** Throws `origin.invalid`. `detail` says what is wrong and what to write instead. */
export function throwOriginError(reason: OriginErrorReason, detail: string): never {
  throw new Problem('origin.invalid', { reason, detail });
}

/** Quotes the text that was sent as an origin, or a part of it. */
export function quoteOriginText(text: string): string {
  return quoteUntrusted(text, MAX_QUOTED_LENGTH);
}
