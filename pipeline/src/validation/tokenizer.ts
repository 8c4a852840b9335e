import { decodeText } from './decode-text.ts';
import { BYTE_ORDER_MARK } from './file-head.ts';

const [NEWLINE, RETURN, SPACE, BACKSLASH] = [10, 13, 32, 92];
const [PLUS, MINUS, DOT, ZERO] = [43, 45, 46, 48];

/** Digits that form a larger integer are parsed by parseFloat, which is slower. */
const MAX_EXACT_INTEGER = 1e15;
/** The largest power of ten that a 64-bit float represents exactly. */
const MAX_EXACT_POWER_OF_TEN = 22;

/**
 * Reads lines of tokens and numbers from bytes without creating strings for numbers.
 *
 * Numbers are correctly rounded, because they are the quotient of two numbers that are exact: an
 * integer below 2^53 and a power of ten.
 */
export class Tokenizer {
  /** Offset of the next byte. */
  offset: number;
  readonly #bytes: Buffer;
  readonly #end: number;

  constructor(bytes: Buffer, offset = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.offset = offset === 0 && startsWithMark(bytes) ? BYTE_ORDER_MARK.length : offset;
    this.#end = end;
  }

  get isAtEnd(): boolean {
    return this.offset >= this.#end;
  }

  /** Goes to the start of the next line. */
  skipLine(): void {
    const next = this.#bytes.indexOf(NEWLINE, this.offset);
    this.offset = next < 0 || next >= this.#end ? this.#end : next + 1;
  }

  /** Skips to the next token of the line; false if there is none. A final backslash continues a line. */
  hasTokenOnLine(): boolean {
    while (this.offset < this.#end) {
      const byte = this.#bytes[this.offset];
      if (byte === BACKSLASH && this.#isLineEnd(this.offset + 1)) this.skipLine();
      else if (byte === NEWLINE) return false;
      // Control characters separate tokens, too.
      else if ((byte as number) <= SPACE) this.offset++;
      else return true;
    }
    return false;
  }

  /** Reads the next token of the line, as Latin-1; empty if there is none. */
  readToken(): string {
    if (!this.hasTokenOnLine()) return '';
    const start = this.offset;
    this.skipToken();
    return this.#bytes.toString('latin1', start, this.offset);
  }

  /** Reads the rest of the line, decoded and trimmed, and goes to the next line. */
  readRestOfLine(): string {
    const start = this.offset;
    this.skipLine();
    return decodeText(this.#bytes.subarray(start, this.offset)).trim();
  }

  /** Goes to the end of the current token. */
  skipToken(): void {
    while (this.offset < this.#end && (this.#bytes[this.offset] as number) > SPACE) this.offset++;
  }

  /** Reads the next token of the line as a number; NaN if it is none. */
  readNumber(): number {
    if (!this.hasTokenOnLine()) return NaN;
    const start = this.offset;
    const negative = this.#bytes[start] === MINUS;
    if (negative || this.#bytes[start] === PLUS) this.offset++;
    const integerStart = this.offset;
    let value = this.#readDigits(0);
    let digitCount = this.offset - integerStart;
    let decimals = 0;
    if (this.offset < this.#end && this.#bytes[this.offset] === DOT) {
      const fractionStart = ++this.offset;
      value = this.#readDigits(value);
      decimals = this.offset - fractionStart;
      digitCount += decimals;
    }
    const isComplete = this.offset < this.#end && (this.#bytes[this.offset] as number) <= SPACE;
    if (
      !isComplete ||
      digitCount === 0 ||
      value >= MAX_EXACT_INTEGER ||
      decimals > MAX_EXACT_POWER_OF_TEN
    ) {
      this.offset = start;
      return this.#parseSlowNumber();
    }
    const exact = decimals > 0 ? value / 10 ** decimals : value;
    return negative ? -exact : exact;
  }

  /** Reads the integer at the current offset, up to the first other character; NaN if there is none. */
  readInteger(): number {
    const negative = this.#bytes[this.offset] === MINUS;
    if (negative) this.offset++;
    const start = this.offset;
    const value = this.#readDigits(0);
    if (this.offset === start) return NaN;
    return negative ? -value : value;
  }

  /** Skips the next byte if it is `byte`. Returns whether it was. */
  skipByte(byte: number): boolean {
    if (this.offset >= this.#end || this.#bytes[this.offset] !== byte) return false;
    this.offset++;
    return true;
  }

  /** Appends the digits at the current offset to `value`. */
  #readDigits(value: number): number {
    let result = value;
    for (; this.offset < this.#end; this.offset++) {
      const digit = (this.#bytes[this.offset] as number) - ZERO;
      if (digit < 0 || digit > 9) break;
      result = result * 10 + digit;
    }
    return result;
  }

  #parseSlowNumber(): number {
    return parseNumber(this.readToken());
  }

  #isLineEnd(offset: number): boolean {
    const byte = this.#bytes[offset];
    return byte === NEWLINE || (byte === RETURN && this.#bytes[offset + 1] === NEWLINE);
  }
}

function startsWithMark(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, BYTE_ORDER_MARK.length) === BYTE_ORDER_MARK;
}

/** Parses a number; NaN if it is none, also for 1.#IND and the like, which older C libraries of Microsoft write. */
export function parseNumber(token: string): number {
  return /^[+-]?(?!\d\.[#$])[\d.]/.test(token) ? Number.parseFloat(token) : NaN;
}
