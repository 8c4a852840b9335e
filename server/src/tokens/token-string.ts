import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Problem } from '@cloche/contract/problem';

/** `public`: can only embed, and may be in the source of a page. `secret`: for servers. */
export type TokenKind = 'public' | 'secret';

const PREFIXES = { public: 'cloche_pk_', secret: 'cloche_sk_' } as const;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const TOKEN_PATTERN = /^cloche_([ps])k_[0-9A-Za-z]{38}$/;

/** Generates a token string: a prefix, 32 random characters (190 bits), and the CRC-32 of both. */
export function generateTokenString(kind: TokenKind): string {
  const start = PREFIXES[kind] + randomBase62(RANDOM_LENGTH);
  return start + checksum(start);
}

/**
 * Returns the kind of a token string, or undefined if the text is not a token string. The checksum
 * detects typing errors without a query.
 */
export function findTokenKind(text: string): TokenKind | undefined {
  const match = TOKEN_PATTERN.exec(text);
  if (match === null) return undefined;
  if (checksum(text.slice(0, -CHECKSUM_LENGTH)) !== text.slice(-CHECKSUM_LENGTH)) return undefined;
  return match[1] === 'p' ? 'public' : 'secret';
}

/** Returns the SHA-256, hex. Plain SHA-256 is enough: a token string has 190 random bits. */
export function hashTokenString(text: string): string {
  return hash('sha256', text);
}

/** Returns random characters: `length` × 5.95 bits. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 = 4 × 62. Larger bytes are skipped: they would make some characters more likely.
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
}

function checksum(text: string): string {
  let remainder = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i += 1) {
    digits = ALPHABET[remainder % 62] + digits;
    remainder = Math.floor(remainder / 62);
  }
  return digits;
}

/** Creates the problem of a text that is not a token string. */
export function createMalformedTokenError(): Problem {
  return new Problem('token.malformed', {
    detail:
      'This is not a complete Cloche token. A token starts with cloche_sk_ or cloche_pk_, has 48 characters, and its last six are a checksum of the others. Was a part cut off when it was copied?',
  });
}
