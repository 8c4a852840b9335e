import { assertWithinLimit } from '../../validation/budgets.ts';
import { type ByteReader, readBlocks } from '../../validation/byte-reader.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';

/** Readers count in 32 bits, with a sign. */
const MAX_ID = 2 ** 31 - 1;

/** Checks the text of a STEP or IFC file: its end, its nesting, its texts and how much there is. */
export async function validateStep(file: ByteReader, limits: ValidationLimits): Promise<void> {
  const lexer = new StepLexer(limits);
  for await (const block of readBlocks(file)) lexer.push(block);
  lexer.finish();
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
const AFTER_COMMENT_STAR = -1;

/** Goes over the bytes once, one state at a time, and keeps none of them. */
class StepLexer {
  readonly #limits: ValidationLimits;
  #depth = 0;
  #entityCount = 0;
  #statementCount = 0;
  /** What ends the text or the comment we are in. */
  #terminator: number | undefined;
  #textBytes = 0;
  #previousCode = 0;
  #entityId = -1;
  /** The last bytes. */
  #tail = '';

  constructor(limits: ValidationLimits) {
    this.#limits = limits;
  }

  push(block: Buffer): void {
    for (let at = 0; at < block.length; at++) {
      const code = block[at] ?? 0;
      if (this.#terminator !== undefined) at = this.#skipDelimited(block, at);
      else this.#consumeByte(code);
    }
    this.#tail = (this.#tail + block.toString('latin1', Math.max(0, block.length - 200))).slice(
      -200,
    );
  }

  finish(): void {
    const isOpen = this.#terminator !== undefined || this.#depth !== 0;
    if (isOpen || !/END-ISO-10303-21\s*;\s*(\/\*.*\*\/\s*)?\0*\s*$/s.test(this.#tail)) {
      throwUnreadable('truncated', 'The STEP file has no "END-ISO-10303-21;": its end is missing');
    }
    if (this.#entityCount === 0) throwUnreadable('empty', 'The STEP file has no entities');
  }

  /** Goes to the end of the text or comment; gives the place of its last byte. */
  #skipDelimited(block: Buffer, at: number): number {
    if (this.#terminator === AFTER_COMMENT_STAR) {
      const code = block[at];
      if (code === SLASH) this.#endDelimited();
      else if (code !== STAR) this.#terminator = STAR;
      return at;
    }
    const end = block.indexOf(this.#terminator ?? 0, at);
    this.#textBytes += (end === -1 ? block.length : end) - at;
    if (this.#terminator === QUOTE && this.#textBytes > this.#limits.stepTextBytes) {
      this.#throwOverLimit('stepTextBytes', this.#textBytes);
    }
    if (end === -1) return block.length;
    if (this.#terminator === STAR) this.#terminator = AFTER_COMMENT_STAR;
    else this.#endDelimited();
    return end;
  }

  #endDelimited(): void {
    this.#previousCode = this.#terminator ?? 0;
    this.#terminator = undefined;
  }

  #consumeByte(code: number): void {
    if (code <= SPACE) return;
    if (code >= ZERO && code <= NINE) this.#countDigit(code - ZERO);
    else if (code !== EQUALS) this.#entityId = code === HASH ? 0 : -1;
    switch (code) {
      case QUOTE:
      case DOUBLE_QUOTE:
        // A quote right behind a text is a quote within it, and the text goes on.
        this.#textBytes = this.#previousCode === code ? this.#textBytes + 2 : 0;
        this.#terminator = code;
        break;
      case STAR:
        if (this.#previousCode === SLASH) this.#terminator = STAR;
        break;
      case EQUALS:
        if (this.#entityId >= 0 && this.#depth === 0) {
          assertWithinLimit('stepEntities', ++this.#entityCount, this.#limits);
        }
        this.#entityId = -1;
        break;
      case OPEN:
        if (++this.#depth > this.#limits.stepDepth) this.#throwOverLimit('stepDepth', this.#depth);
        break;
      case CLOSE:
        if (--this.#depth < 0) this.#fail('parentheses', 'closes more than it opens');
        break;
      case SEMICOLON:
        if (this.#depth !== 0) this.#fail('parentheses', 'leaves parentheses open');
        this.#statementCount++;
        break;
    }
    this.#previousCode = code;
  }

  #countDigit(digit: number): void {
    if (this.#entityId < 0) return;
    this.#entityId = 10 * this.#entityId + digit;
    if (this.#entityId > MAX_ID) this.#fail('range', `has an id above ${MAX_ID}`);
  }

  #fail(reason: string, complaint: string): never {
    throwUnreadable(reason, `Statement ${this.#statementCount + 1} of the STEP file ${complaint}`);
  }

  #throwOverLimit(name: 'stepDepth' | 'stepTextBytes', amount: number): void {
    assertWithinLimit(name, amount, this.#limits, {
      path: `statement ${this.#statementCount + 1}`,
    });
  }
}
