import { damaged } from '../damaged.ts';
import { type Limits, limit } from '../limits.ts';
import { blocksOf, type Source } from '../source.ts';

/** Readers count in 32 bits, with a sign. */
const MAX_ID = 2 ** 31 - 1;

/** Checks the text of a STEP or IFC file: its end, its nesting, its texts and how much there is. */
export async function checkStep(file: Source, limits: Limits): Promise<void> {
  const lexer = new Lexer(limits);
  for await (const block of blocksOf(file)) lexer.read(block);
  lexer.end();
}

const SPACE = 0x20;
const QUOTE = 0x27;
const DOUBLE_QUOTE = 0x22;
const OPEN = 0x28;
const CLOSE = 0x29;
const STAR = 0x2a;
const SLASH = 0x2f;
const ZERO = 0x30;
const NINE = 0x39;
const SEMICOLON = 0x3b;
const HASH = 0x23;
const EQUALS = 0x3d;
/** In a comment, behind a star: a slash now would end it. */
const AFTER_STAR = -1;

/** Goes over the bytes once, one state at a time, and keeps none of them. */
class Lexer {
  readonly #limits: Limits;
  #depth = 0;
  #entities = 0;
  #statements = 0;
  /** What ends the text or the comment we are in. */
  #within: number | undefined;
  #textBytes = 0;
  #last = 0;
  #id = -1;
  /** The last bytes. */
  #tail = '';

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  read(block: Buffer): void {
    for (let at = 0; at < block.length; at++) {
      const code = block[at] ?? 0;
      if (this.#within !== undefined) at = this.#skip(block, at);
      else this.#take(code);
    }
    this.#tail = (this.#tail + block.toString('latin1', Math.max(0, block.length - 200))).slice(
      -200,
    );
  }

  end(): void {
    const isOpen = this.#within !== undefined || this.#depth !== 0;
    if (isOpen || !/END-ISO-10303-21\s*;\s*(\/\*.*\*\/\s*)?\0*\s*$/s.test(this.#tail)) {
      damaged('truncated', 'The STEP file has no "END-ISO-10303-21;": its end is missing');
    }
    if (this.#entities === 0) damaged('empty', 'The STEP file has no entities');
  }

  /** Goes to the end of the text or comment; gives the place of its last byte. */
  #skip(block: Buffer, at: number): number {
    if (this.#within === AFTER_STAR) {
      const code = block[at];
      if (code === SLASH) this.#leave();
      else if (code !== STAR) this.#within = STAR;
      return at;
    }
    const end = block.indexOf(this.#within ?? 0, at);
    this.#textBytes += (end === -1 ? block.length : end) - at;
    if (this.#within === QUOTE && this.#textBytes > this.#limits.stepTextBytes) {
      this.#limit('stepTextBytes', this.#textBytes);
    }
    if (end === -1) return block.length;
    if (this.#within === STAR) this.#within = AFTER_STAR;
    else this.#leave();
    return end;
  }

  #leave(): void {
    this.#last = this.#within ?? 0;
    this.#within = undefined;
  }

  #take(code: number): void {
    if (code <= SPACE) return;
    if (code >= ZERO && code <= NINE) this.#countDigit(code - ZERO);
    else if (code !== EQUALS) this.#id = code === HASH ? 0 : -1;
    switch (code) {
      case QUOTE:
      case DOUBLE_QUOTE:
        // A quote right behind a text is a quote within it, and the text goes on.
        this.#textBytes = this.#last === code ? this.#textBytes + 2 : 0;
        this.#within = code;
        break;
      case STAR:
        if (this.#last === SLASH) this.#within = STAR;
        break;
      case EQUALS:
        if (this.#id >= 0 && this.#depth === 0) {
          limit('stepEntities', ++this.#entities, this.#limits);
        }
        this.#id = -1;
        break;
      case OPEN:
        if (++this.#depth > this.#limits.stepDepth) this.#limit('stepDepth', this.#depth);
        break;
      case CLOSE:
        if (--this.#depth < 0) this.#fail('parentheses', 'closes more than it opens');
        break;
      case SEMICOLON:
        if (this.#depth !== 0) this.#fail('parentheses', 'leaves parentheses open');
        this.#statements++;
        break;
    }
    this.#last = code;
  }

  #countDigit(digit: number): void {
    if (this.#id < 0) return;
    this.#id = 10 * this.#id + digit;
    if (this.#id > MAX_ID) this.#fail('range', `has an id above ${MAX_ID}`);
  }

  #fail(reason: string, complaint: string): never {
    damaged(reason, `Statement ${this.#statements + 1} of the STEP file ${complaint}`);
  }

  #limit(name: 'stepDepth' | 'stepTextBytes', amount: number): void {
    limit(name, amount, this.#limits, { path: `statement ${this.#statements + 1}` });
  }
}
