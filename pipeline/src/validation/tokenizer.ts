const [NEWLINE, RETURN, SPACE, BACKSLASH] = [10, 13, 32, 92];
const [PLUS, MINUS, DOT, ZERO, NINE] = [43, 45, 46, 48, 57];

/** Numbers with more digits are parsed by parseFloat, which is slower but exact. */
const EXACT_DIGITS = 15;

/**
 * Reads lines of words and numbers from bytes without creating strings for numbers.
 *
 * Numbers are exact: an integer below 2^53 divided by a power of ten that is exact, too.
 */
export class Tokenizer {
  /** Offset of the next byte. */
  offset: number;
  readonly #bytes: Buffer;
  readonly #end: number;

  constructor(bytes: Buffer, offset = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.offset = offset;
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

  /** Skips to the next word of the line. A backslash at the end of a line continues it. */
  hasTokenOnLine(): boolean {
    while (this.offset < this.#end) {
      const byte = this.#bytes[this.offset];
      if (byte === BACKSLASH && this.#isLineEnd(this.offset + 1)) this.skipLine();
      else if (byte === NEWLINE) return false;
      // Control characters separate words, too.
      else if ((byte as number) <= SPACE) this.offset++;
      else return true;
    }
    return false;
  }

  /** The next word of the line, as Latin-1; empty if there is none. */
  readToken(): string {
    if (!this.hasTokenOnLine()) return '';
    const start = this.offset;
    this.skipToken();
    return this.#bytes.toString('latin1', start, this.offset);
  }

  /** The rest of the line, trimmed. */
  readRestOfLine(): string {
    const start = this.offset;
    this.skipLine();
    return this.#bytes.toString('utf8', start, this.offset).trim();
  }

  /** Goes to the end of the current word. */
  skipToken(): void {
    while (this.offset < this.#end && (this.#bytes[this.offset] as number) > SPACE) this.offset++;
  }

  /** The next word as a number; NaN if it is not one. */
  readNumber(): number {
    if (!this.hasTokenOnLine()) return NaN;
    const start = this.offset;
    const negative = this.#bytes[start] === MINUS;
    if (negative || this.#bytes[start] === PLUS) this.offset++;
    let [value, significantDigits, decimals, digitCount] = [0, 0, -1, 0];
    for (; this.offset < this.#end; this.offset++) {
      const byte = this.#bytes[this.offset] as number;
      if (byte >= ZERO && byte <= NINE) {
        value = value * 10 + (byte - ZERO);
        digitCount++;
        if (value > 0) significantDigits++;
        if (decimals >= 0) decimals++;
      } else if (byte === DOT && decimals < 0) decimals = 0;
      else break;
    }
    const next = this.#bytes[this.offset] ?? SPACE;
    if (
      digitCount === 0 ||
      next > SPACE ||
      significantDigits > EXACT_DIGITS ||
      decimals > 22 ||
      this.offset >= this.#end
    ) {
      this.offset = start;
      return this.#parseSlowNumber();
    }
    const exact = decimals > 0 ? value / 10 ** decimals : value;
    return negative ? -exact : exact;
  }

  /** The integer at the current offset, up to the first other character; NaN if there is none. */
  readInteger(): number {
    const negative = this.#bytes[this.offset] === MINUS;
    if (negative) this.offset++;
    let value = NaN;
    for (; this.offset < this.#end; this.offset++) {
      const digit = (this.#bytes[this.offset] as number) - ZERO;
      if (digit < 0 || digit > 9) break;
      value = (value || 0) * 10 + digit;
    }
    return negative ? -value : value;
  }

  /** Skips the next byte if it is `byte`. Returns whether it was. */
  skipByte(byte: number): boolean {
    if (this.offset >= this.#end || this.#bytes[this.offset] !== byte) return false;
    this.offset++;
    return true;
  }

  #parseSlowNumber(): number {
    const word = this.readToken();
    return /^[+-]?[\d.]/.test(word) ? Number.parseFloat(word) : NaN;
  }

  #isLineEnd(offset: number): boolean {
    const byte = this.#bytes[offset];
    return byte === NEWLINE || (byte === RETURN && this.#bytes[offset + 1] === NEWLINE);
  }
}
