import { Problem } from '@cloche/contract/problem';
import { type Limits, limit } from './limits.ts';
import { quote } from './quote.ts';

/**
 * Parses JSON after one pass that bounds what parsing it would build.
 *
 * @throws {Problem} design.too-complex, design.unreadable
 */
export function parseJson(bytes: Buffer, limits: Limits): unknown {
  checkShape(bytes, limits);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    const isText = cause instanceof SyntaxError;
    throw new Problem('design.unreadable', {
      detail: isText
        ? `The JSON of the GLB is broken: ${quote(cause.message)}.`
        : 'The JSON of the GLB is not UTF-8.',
      reason: isText ? 'json' : 'utf-8',
      cause,
    });
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/**
 * Counts depth and values, and refuses an object that has a key twice: readers differ in which one
 * they take. It need not notice broken JSON; the parser does.
 */
function checkShape(bytes: Buffer, limits: Limits): void {
  /** The keys of each object we are in, by depth; undefined for a list. */
  const open: (Set<string> | undefined)[] = [];
  let values = 1;
  let keyNext = false;

  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case QUOTE: {
        const end = endOfText(bytes, at);
        if (keyNext) addKey(open.at(-1), bytes.subarray(at + 1, end));
        keyNext = false;
        at = end;
        break;
      }
      case COMMA:
        values++;
        keyNext = open.at(-1) !== undefined;
        break;
      case 0x7b /* { */:
      case 0x5b /* [ */:
        keyNext = bytes[at] === 0x7b;
        open.push(keyNext ? new Set() : undefined);
        values++;
        limit('jsonDepth', open.length, limits);
        limit('jsonValues', values, limits);
        break;
      case 0x7d /* } */:
      case 0x5d /* ] */:
        open.pop();
        keyNext = false;
        break;
    }
  }
  limit('jsonValues', values, limits);
}

/** Where the text that starts at `start` has its closing quote; the end of all when it has none. */
function endOfText(bytes: Buffer, start: number): number {
  for (let at = start + 1; ; at++) {
    at = bytes.indexOf(QUOTE, at);
    if (at === -1) return bytes.length;
    let backslashes = 0;
    while (bytes[at - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
}

function addKey(keys: Set<string> | undefined, raw: Buffer): void {
  const text = raw.toString();
  const key = text.includes('\\') ? unescapeKey(text) : text;
  if (keys?.has(key)) {
    throw new Problem('design.unreadable', {
      detail: `The JSON of the GLB has an object with the key ${quote(key)} twice.`,
      reason: 'duplicate-key',
    });
  }
  keys?.add(key);
}

function unescapeKey(text: string): string {
  try {
    return JSON.parse(`"${text}"`);
  } catch {
    // A broken escape: the parser will say so in its own words.
    return text;
  }
}
