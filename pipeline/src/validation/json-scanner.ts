import { Problem } from '@cloche/contract/problem';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import { assertWithinLimit } from './budgets.ts';
import type { ValidationLimits } from './limits.ts';

/** Parsed JSON. `keyCount` counts the keys in the text, including duplicates. */
export type ParsedJson = { value: unknown; keyCount: number };

/**
 * Parses JSON after a scan that bounds its depth, its number of values and its distinct keys.
 *
 * @throws {Problem} design.too-complex, design.unreadable
 */
export function parseUntrustedJson(bytes: Buffer, limits: ValidationLimits): ParsedJson {
  const keyCount = scanJson(bytes, limits);
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)), keyCount };
  } catch (cause) {
    const isSyntaxError = cause instanceof SyntaxError;
    throw new Problem('design.unreadable', {
      detail: isSyntaxError
        ? `The JSON is invalid: ${quoteUntrusted(cause.message)}.`
        : 'The JSON is not UTF-8.',
      reason: isSyntaxError ? 'json' : 'utf-8',
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
 * Checks depth, values and distinct keys against the limits, and returns the number of all keys. It
 * does not detect invalid JSON: the parser does.
 */
function scanJson(bytes: Buffer, limits: ValidationLimits): number {
  /** For each open level, whether it is an object. */
  const isObject: boolean[] = [];
  const distinctKeys = new Set<string>();
  let valueCount = 1;
  let keyCount = 0;
  let isKeyNext = false;
  let end = 0;

  for (let offset = 0; offset < bytes.length; offset++) {
    switch (bytes[offset]) {
      case QUOTE:
        end = findStringEnd(bytes, offset);
        if (isKeyNext) {
          keyCount++;
          distinctKeys.add(bytes.toString('latin1', offset + 1, end));
          assertWithinLimit('jsonKeys', distinctKeys.size, limits);
        }
        isKeyNext = false;
        offset = end;
        break;
      case COMMA:
        valueCount++;
        isKeyNext = isObject.at(-1) ?? false;
        break;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        isKeyNext = bytes[offset] === OPEN_OBJECT;
        isObject.push(isKeyNext);
        valueCount++;
        assertWithinLimit('jsonDepth', isObject.length, limits);
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        isObject.pop();
        isKeyNext = false;
        break;
    }
  }
  assertWithinLimit('jsonValues', valueCount, limits);
  return keyCount;
}

/** Offset of the closing quote of the string at `start`; the length of the text if there is none. */
function findStringEnd(bytes: Buffer, start: number): number {
  for (let offset = start + 1; ; offset++) {
    offset = bytes.indexOf(QUOTE, offset);
    if (offset === -1) return bytes.length;
    let backslashes = 0;
    while (bytes[offset - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return offset;
  }
}
