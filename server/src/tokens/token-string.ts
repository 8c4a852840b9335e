import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Problem } from '@cloche/contract/problem';

/** `public`: may only embed, may stand in page source. `secret`: for servers. */
export type TokenKind = 'public' | 'secret';

const PREFIXES = { public: 'cloche_pk_', secret: 'cloche_sk_' } as const;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const TOKEN_PATTERN = /^cloche_([ps])k_[0-9A-Za-z]{38}$/;

/** Makes a token string: prefix, 190 bits of randomness, CRC-32 over all before it. */
export function generateTokenString(kind: TokenKind): string {
  const start = PREFIXES[kind] + randomBase62(RANDOM_LENGTH);
  return start + checksum(start);
}

/**
 * Tells the kind of a token string, or undefined when it cannot be one of ours: a typo shows in
 * the checksum and costs no look-up.
 */
export function findTokenKind(text: string): TokenKind | undefined {
  const form = TOKEN_PATTERN.exec(text);
  if (form === null) return undefined;
  if (checksum(text.slice(0, -CHECKSUM_LENGTH)) !== text.slice(-CHECKSUM_LENGTH)) return undefined;
  return form[1] === 'p' ? 'public' : 'secret';
}

/** SHA-256, hex. Plain is enough: the string has 190 random bits. */
export function hashTokenString(text: string): string {
  return hash('sha256', text);
}

/** Random characters for ids: `length` × 5.95 bits. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 = 4 × 62: what lies above would make some characters likelier.
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i += 1) {
    digits = ALPHABET[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** A token string that no service ever made. */
export function malformedTokenError(): Problem {
  return new Problem('token.malformed', {
    detail:
      'That is not a whole Cloche token: they start with cloche_sk_ or cloche_pk_ and have 48 characters, and the last six must fit the rest. Was a part cut off when it was copied?',
  });
}
