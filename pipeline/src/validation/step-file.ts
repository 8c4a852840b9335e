import { assertWithinLimit } from './budgets.ts';
import { type ByteReader, readBlocks } from './byte-reader.ts';
import type { FileHead } from './file-head.ts';
import type { ValidationLimits } from './limits.ts';
import { throwUnreadable } from './unreadable.ts';

/** The highest id of an entity: STEP libraries use signed 32-bit integers. */
const MAX_ID = 2 ** 31 - 1;
/** The end marker must be in the last bytes of the file; a comment may follow it. */
const TAIL_BYTES = 200;
const END_PATTERN = /END-ISO-10303-21\s*;\s*(\/\*.*\*\/\s*)?\0*\s*$/s;

/** Recognizes an ISO 10303-21 file. Its schema tells an IFC from other STEP files. */
export function sniffStepFile({ text }: FileHead): 'STEP' | 'IFC' | undefined {
  if (/^\s*ISO-10303-21[\s\S]*FILE_SCHEMA\s*\(\s*\(\s*'IFC/i.test(text)) return 'IFC';
  return /^\s*ISO-10303-21/.test(text) ? 'STEP' : undefined;
}

/**
 * Receives the entities with some keywords, the ids that they refer to, and the number of their values in all lists,
 * which is at least one.
 */
export type EntityVisitor = {
  keywords: readonly string[];
  visit(keyword: string, id: number, references: readonly number[], valueCount: number): void;
};

/**
 * Validates an ISO 10303-21 file, the encoding of STEP and IFC: its end, nesting, string lengths and
 * number of entities.
 */
export async function validateStepFile(
  file: ByteReader,
  limits: ValidationLimits,
  { formatLabel, visitor }: { formatLabel: 'STEP' | 'IFC'; visitor?: EntityVisitor },
): Promise<void> {
  const lexer = new StepLexer(limits, formatLabel, visitor);
  for await (const block of readBlocks(file)) lexer.push(block);
  lexer.finish();
}

const SPACE = 0x20;
const QUOTE = 0x27;
const DOUBLE_QUOTE = 0x22;
const OPEN = 0x28;
const CLOSE = 0x29;
const STAR = 0x2a;
const COMMA = 0x2c;
const SLASH = 0x2f;
const ZERO = 0x30;
const NINE = 0x39;
const SEMICOLON = 0x3b;
const HASH = 0x23;
const LOWER_A = 0x61;
const LOWER_Z = 0x7a;
const CASE_OFFSET = 0x20;
const EQUALS = 0x3d;
/** The state after a star in a comment: a slash ends the comment. */
const AFTER_COMMENT_STAR = -1;

/** Letters in lower case count as upper case. */
function addToHash(hash: number, code: number): number {
  return (
    (Math.imul(hash, 31) + (code >= LOWER_A && code <= LOWER_Z ? code - CASE_OFFSET : code)) | 0
  );
}

/** A hash instead of the text: a string for each of ten million entities would take most of the time. */
function hashText(text: string): number {
  return [...Buffer.from(text, 'latin1')].reduce(addToHash, 0);
}

/** A state machine that reads each byte once, so that a block can be discarded after it. */
class StepLexer {
  readonly #limits: ValidationLimits;
  readonly #formatLabel: string;
  #depth = 0;
  #entityCount = 0;
  #statementCount = 0;
  /** The byte that ends the current string or comment. */
  #terminator: number | undefined;
  #stringBytes = 0;
  #previousCode = 0;
  /** The id that is being read; -1 if none. */
  #entityId = -1;
  /** The last bytes of the file, as text. */
  #tail = '';
  readonly #visitor: EntityVisitor | undefined;
  /** The keywords of the visitor, by their hashes. */
  readonly #keywords = new Map<number, string>();
  /** The id of the current entity, and the hash of its keyword so far. */
  #currentId = -1;
  #keywordHash = 0;
  /** The keyword and the references of the current entity, if it is to be visited. */
  #keyword: string | undefined;
  #references: number[] = [];
  #commaCount = 0;

  constructor(limits: ValidationLimits, formatLabel: string, visitor?: EntityVisitor) {
    this.#limits = limits;
    this.#formatLabel = formatLabel;
    this.#visitor = visitor;
    for (const keyword of visitor?.keywords ?? []) this.#keywords.set(hashText(keyword), keyword);
  }

  push(block: Buffer): void {
    for (let offset = 0; offset < block.length; offset++) {
      if (this.#terminator !== undefined) offset = this.#skipDelimited(block, offset);
      else this.#consumeByte(block[offset] ?? 0);
    }
    const tail = this.#tail + block.toString('latin1', Math.max(0, block.length - TAIL_BYTES));
    this.#tail = tail.slice(-TAIL_BYTES);
  }

  finish(): void {
    const isOpen = this.#terminator !== undefined || this.#depth !== 0;
    if (isOpen || !END_PATTERN.test(this.#tail)) {
      throwUnreadable(
        'truncated',
        `The ${this.#formatLabel} file is cut off: "END-ISO-10303-21;" is missing at its end`,
      );
    }
    if (this.#entityCount === 0)
      throwUnreadable('empty', `The ${this.#formatLabel} file has no entities`);
  }

  /** Skips to the end of the string or comment; returns the offset of its last byte. */
  #skipDelimited(block: Buffer, offset: number): number {
    if (this.#terminator === AFTER_COMMENT_STAR) {
      const code = block[offset];
      if (code === SLASH) this.#endDelimited();
      else if (code !== STAR) this.#terminator = STAR;
      return offset;
    }
    const end = block.indexOf(this.#terminator ?? 0, offset);
    this.#stringBytes += (end === -1 ? block.length : end) - offset;
    if (this.#terminator === QUOTE) this.#assertWithinLimit('stepTextBytes', this.#stringBytes);
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
    if (code >= ZERO && code <= NINE) this.#addDigit(code);
    else if (code !== EQUALS) this.#endReference(code);
    switch (code) {
      case QUOTE:
      case DOUBLE_QUOTE:
        // Two quotes in a row are one quote within the string, so the string continues.
        this.#stringBytes = this.#previousCode === code ? this.#stringBytes + 2 : 0;
        this.#terminator = code;
        break;
      case STAR:
        if (this.#previousCode === SLASH) this.#terminator = STAR;
        break;
      case COMMA:
        this.#commaCount++;
        break;
      case EQUALS:
        this.#endEntityId();
        break;
      case OPEN:
        this.#openParenthesis();
        break;
      case CLOSE:
        if (--this.#depth < 0) this.#fail('parentheses', 'closes a parenthesis that is not open');
        break;
      case SEMICOLON:
        if (this.#depth !== 0) this.#fail('parentheses', 'does not close its parentheses');
        this.#statementCount++;
        this.#endStatement();
        break;
    }
    this.#previousCode = code;
  }

  #addDigit(code: number): void {
    if (this.#entityId < 0) {
      if (this.#depth === 0) this.#keywordHash = addToHash(this.#keywordHash, code);
      return;
    }
    this.#entityId = 10 * this.#entityId + code - ZERO;
    if (this.#entityId > MAX_ID) this.#fail('range', `has an id above ${MAX_ID}`);
  }

  /** Called for each byte that is not a digit: a reference ends, or the keyword continues. */
  #endReference(code: number): void {
    if (this.#keyword !== undefined && this.#entityId > 0) this.#references.push(this.#entityId);
    this.#entityId = code === HASH ? 0 : -1;
    if (this.#depth === 0 && code !== OPEN) this.#keywordHash = addToHash(this.#keywordHash, code);
  }

  #endEntityId(): void {
    if (this.#entityId >= 0 && this.#depth === 0) {
      assertWithinLimit('stepEntities', ++this.#entityCount, this.#limits);
      this.#currentId = this.#entityId;
      this.#keywordHash = 0;
    }
    this.#entityId = -1;
  }

  #openParenthesis(): void {
    if (this.#depth === 0 && this.#currentId >= 0)
      this.#keyword = this.#keywords.get(this.#keywordHash);
    this.#assertWithinLimit('stepDepth', ++this.#depth);
  }

  #endStatement(): void {
    if (this.#keyword !== undefined)
      this.#visitor?.visit(this.#keyword, this.#currentId, this.#references, this.#commaCount + 1);
    this.#keyword = undefined;
    this.#commaCount = 0;
    this.#currentId = -1;
    if (this.#references.length > 0) this.#references = [];
  }

  #fail(reason: string, predicate: string): never {
    throwUnreadable(
      reason,
      `Statement ${this.#statementCount + 1} of the ${this.#formatLabel} file ${predicate}`,
    );
  }

  /** Compares first, because formatting the location takes time. */
  #assertWithinLimit(name: 'stepDepth' | 'stepTextBytes', amount: number): void {
    if (amount <= this.#limits[name]) return;
    assertWithinLimit(name, amount, this.#limits, {
      path: `statement ${this.#statementCount + 1}`,
    });
  }
}
