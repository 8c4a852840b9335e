const [NEWLINE, RETURN, SPACE, BACKSLASH] = [10, 13, 32, 92];
const [PLUS, MINUS, DOT, ZERO, NINE] = [43, 45, 46, 48, 57];

/** More digits than this are left to the slow, exact way. */
const EXACT_DIGITS = 15;

/**
 * Reads lines of words and numbers from bytes, without making strings of them.
 *
 * A number made by digits is exact: below 2^53, divided by a power of ten that is exact as well.
 */
export class Words {
  /** Where reading goes on. */
  at: number;
  readonly #bytes: Buffer;
  readonly #end: number;

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.at = at;
    this.#end = end;
  }

  get done(): boolean {
    return this.at >= this.#end;
  }

  /** Goes to the start of the next line. */
  nextLine(): void {
    const next = this.#bytes.indexOf(NEWLINE, this.at);
    this.at = next < 0 || next >= this.#end ? this.#end : next + 1;
  }

  /** Whether the line has a word left; a backslash at a line's end carries it on. */
  more(): boolean {
    while (this.at < this.#end) {
      const byte = this.#bytes[this.at];
      if (byte === BACKSLASH && this.#endsLine(this.at + 1)) this.nextLine();
      else if (byte === NEWLINE) return false;
      // Control characters separate words too: they are part of none.
      else if ((byte as number) <= SPACE) this.at++;
      else return true;
    }
    return false;
  }

  /** The next word of the line, or an empty one: for keywords, as it is read as Latin 1. */
  word(): string {
    if (!this.more()) return '';
    const start = this.at;
    this.leaveWord();
    return this.#bytes.toString('latin1', start, this.at);
  }

  /** What is left of the line, without the space around it. */
  rest(): string {
    const start = this.at;
    this.nextLine();
    return this.#bytes.toString('utf8', start, this.at).trim();
  }

  /** Goes to the end of the word it is in, if any. */
  leaveWord(): void {
    while (this.at < this.#end && (this.#bytes[this.at] as number) > SPACE) this.at++;
  }

  /** The next word as a number; NaN if it is none. */
  number(): number {
    if (!this.more()) return NaN;
    const start = this.at;
    const negative = this.#bytes[start] === MINUS;
    if (negative || this.#bytes[start] === PLUS) this.at++;
    let [value, digits, decimals, figures] = [0, 0, -1, 0];
    for (; this.at < this.#end; this.at++) {
      const byte = this.#bytes[this.at] as number;
      if (byte >= ZERO && byte <= NINE) {
        value = value * 10 + (byte - ZERO);
        figures++;
        if (value > 0) digits++;
        if (decimals >= 0) decimals++;
      } else if (byte === DOT && decimals < 0) decimals = 0;
      else break;
    }
    const next = this.#bytes[this.at] ?? SPACE;
    if (
      figures === 0 ||
      next > SPACE ||
      digits > EXACT_DIGITS ||
      decimals > 22 ||
      this.at >= this.#end
    ) {
      this.at = start;
      return this.#slowNumber();
    }
    const exact = decimals > 0 ? value / 10 ** decimals : value;
    return negative ? -exact : exact;
  }

  /** The next integer, up to whatever is not a digit; NaN if there is none. */
  integer(): number {
    const negative = this.#bytes[this.at] === MINUS;
    if (negative) this.at++;
    let value = NaN;
    for (; this.at < this.#end; this.at++) {
      const digit = (this.#bytes[this.at] as number) - ZERO;
      if (digit < 0 || digit > 9) break;
      value = (value || 0) * 10 + digit;
    }
    return negative ? -value : value;
  }

  /** Steps over that byte if it is next. */
  skip(byte: number): boolean {
    if (this.at >= this.#end || this.#bytes[this.at] !== byte) return false;
    this.at++;
    return true;
  }

  #slowNumber(): number {
    const word = this.word();
    return /^[+-]?[\d.]/.test(word) ? Number.parseFloat(word) : NaN;
  }

  #endsLine(at: number): boolean {
    const byte = this.#bytes[at];
    return byte === NEWLINE || (byte === RETURN && this.#bytes[at + 1] === NEWLINE);
  }
}
