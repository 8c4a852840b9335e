import { Problem } from '@cloche/contract/problem';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import { assertWithinLimit } from './budgets.ts';
import type { ValidationLimits } from './limits.ts';

/** Parsed JSON. `keys` is how many its text has: more than the value has when one stands twice. */
export type ParsedJson = { value: unknown; keyCount: number };

/**
 * Parses JSON after one pass that bounds what parsing it would build.
 *
 * @throws {Problem} design.too-complex, design.unreadable
 */
export function parseUntrustedJson(bytes: Buffer, limits: ValidationLimits): ParsedJson {
  const keyCount = scanJson(bytes, limits);
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)), keyCount };
  } catch (cause) {
    const isText = cause instanceof SyntaxError;
    throw new Problem('design.unreadable', {
      detail: isText
        ? `The JSON is broken: ${quoteUntrusted(cause.message)}.`
        : 'The JSON is not UTF-8.',
      reason: isText ? 'json' : 'utf-8',
      cause,
    });
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/**
 * Bounds depth, values and different keys, and counts all keys. It need not notice broken JSON; the parser
 * does.
 */
function scanJson(bytes: Buffer, limits: ValidationLimits): number {
  /** For each level we are in, whether it is an object. */
  const isObject: boolean[] = [];
  const names = new Set<string>();
  let values = 1;
  let keys = 0;
  let keyNext = false;
  let end = 0;

  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case QUOTE:
        end = findStringEnd(bytes, at);
        if (keyNext) {
          keys++;
          names.add(bytes.toString('latin1', at + 1, end));
          assertWithinLimit('jsonKeys', names.size, limits);
        }
        keyNext = false;
        at = end;
        break;
      case COMMA:
        values++;
        keyNext = isObject.at(-1) ?? false;
        break;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        keyNext = bytes[at] === OPEN_OBJECT;
        isObject.push(keyNext);
        values++;
        assertWithinLimit('jsonDepth', isObject.length, limits);
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        isObject.pop();
        keyNext = false;
        break;
    }
  }
  assertWithinLimit('jsonValues', values, limits);
  return keys;
}

/** Where the text that starts at `start` has its closing quote; the end of all when it has none. */
function findStringEnd(bytes: Buffer, start: number): number {
  for (let at = start + 1; ; at++) {
    at = bytes.indexOf(QUOTE, at);
    if (at === -1) return bytes.length;
    let backslashes = 0;
    while (bytes[at - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
}
