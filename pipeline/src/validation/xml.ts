import { StringDecoder } from 'node:string_decoder';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import { assertWithinLimit } from './budgets.ts';
import type { ValidationLimits } from './limits.ts';
import type { ByteBlocks } from './lines.ts';
import { throwUnreadable } from './unreadable.ts';
import { XmlTag } from './xml-tag.ts';

export type { XmlTag } from './xml-tag.ts';

/** Receives the tags of an XML file in document order. */
export type XmlVisitor = {
  open(tag: XmlTag): void;
  /** @param localName of the element that ends, with an end tag or as a self-closing tag */
  close?(localName: string): void;
  /** Text between tags, in pieces of any size. Not that of comments and CDATA; entities are not decoded. */
  text?(text: string): void;
};

/** The start and the end of sections in which there are no tags. Their length is not limited. */
const SKIPPED_SECTIONS: readonly [start: string, end: string][] = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
];
const MAX_SECTION_START_LENGTH = 9;
const LATIN1_DECLARATION = /^\s*<\?xml[^>]*\sencoding\s*=\s*["'](?:iso-8859-1|latin1)["']/i;
const [EXCLAMATION_MARK, QUESTION_MARK, GREATER_THAN] = [0x21, 0x3f, 0x3e];
const [DOUBLE_QUOTE, SINGLE_QUOTE] = [0x22, 0x27];

/**
 * Visits the tags of an XML file and checks that they are balanced. Only one
 * block and the current tag, whose length is limited, are in memory.
 *
 * Declarations of types and entities are refused: no format that we read has them, and small files
 * use them to expand to gigabytes or to load other files.
 *
 * @throws {Problem} design.unreadable, design.too-complex
 */
export async function visitXmlTags(
  blocks: ByteBlocks,
  limits: ValidationLimits,
  visitor: XmlVisitor,
): Promise<void> {
  const state: XmlVisitState = { openElements: [], elementCount: 0, limits, visitor };
  const scanner = new XmlScanner(visitor.text?.bind(visitor));
  let decoder: StringDecoder | undefined;
  for await (const block of blocks) {
    // XML libraries would interpret NUL bytes as UTF-16, and read other tags than this reader.
    if (block.includes(0)) throwUnreadable('encoding', 'The XML is not UTF-8; save it as UTF-8');
    decoder ??= new StringDecoder(detectEncoding(block));
    scanner.append(decoder.write(block));
    for (let tag = scanner.next(); tag !== undefined; tag = scanner.next()) visitTag(tag, state);
    assertTagLength(scanner.pendingLength, state);
  }
  const element = state.openElements.at(-1);
  if (element !== undefined || scanner.isInsideMarkup) {
    throwUnreadable(
      'truncated',
      `The XML ends inside ${quoteUntrusted(element ?? scanner.pendingText)}: its end is missing`,
    );
  }
  if (state.elementCount === 0) throwUnreadable('empty', 'The XML has no elements');
}

type XmlVisitState = {
  /** Qualified names, outermost first. */
  readonly openElements: string[];
  elementCount: number;
  readonly limits: ValidationLimits;
  readonly visitor: XmlVisitor;
};

/**
 * Returns the tags of an XML text in document order. An unfinished tag at the end is left out.
 *
 * @throws {Problem} design.unreadable: the text declares types or entities
 */
export function* readXmlTags(text: string): Generator<XmlTag> {
  const scanner = new XmlScanner();
  scanner.append(text);
  for (let tag = scanner.next(); tag !== undefined; tag = scanner.next()) yield tag;
}

/** Finds the tags in a text that is appended in parts. */
class XmlScanner {
  #text = '';
  #offset = 0;
  /** The text that ends the comment or other section at the current offset, if any. */
  #sectionEnd: string | undefined;
  readonly #onText: ((text: string) => void) | undefined;

  constructor(onText?: (text: string) => void) {
    this.#onText = onText;
  }

  append(text: string): void {
    this.#text = this.#text.slice(this.#offset) + text;
    this.#offset = 0;
  }

  /** Returns the next tag; undefined if the text so far has no further complete tag. */
  next(): XmlTag | undefined {
    for (;;) {
      if (!this.#skipSection()) return undefined;
      const text = this.#text;
      const start = text.indexOf('<', this.#offset);
      this.#endText(start === -1 ? text.length : start);
      if (start === -1) return undefined;
      const isStartComplete =
        text.length - start >= MAX_SECTION_START_LENGTH || text.includes('>', start);
      if (!isStartComplete) return undefined;
      const code = text.charCodeAt(start + 1);
      if (code === EXCLAMATION_MARK || code === QUESTION_MARK) {
        this.#startSection();
        continue;
      }
      const end = findTagEnd(text, start);
      if (end === -1) return undefined;
      this.#offset = end + 1;
      return new XmlTag(text, start, end);
    }
  }

  #endText(end: number): void {
    if (end > this.#offset) this.#onText?.(this.#text.slice(this.#offset, end));
    this.#offset = end;
  }

  /** Length of the unfinished tag at the end of the text, or 0. */
  get pendingLength(): number {
    return this.#sectionEnd === undefined ? this.#text.length - this.#offset : 0;
  }

  /** The start of the unfinished tag at the end of the text. */
  get pendingText(): string {
    return this.#text.slice(this.#offset, this.#offset + 20);
  }

  /** Whether the text ends inside a tag, a comment or another section. */
  get isInsideMarkup(): boolean {
    return this.#sectionEnd !== undefined || this.#offset < this.#text.length;
  }

  #startSection(): void {
    const start = this.#offset;
    const section = SKIPPED_SECTIONS.find(([opening]) => this.#text.startsWith(opening, start));
    if (section === undefined) {
      const declaration = quoteUntrusted(this.#text.slice(start, start + 30));
      throwUnreadable(
        'doctype',
        `The XML declares types or entities (${declaration}); remove them`,
      );
    }
    const [opening, end] = section;
    this.#offset = start + opening.length;
    this.#sectionEnd = end;
  }

  /** Skips the current section, if any; false if its end is not in the text so far. */
  #skipSection(): boolean {
    const sectionEnd = this.#sectionEnd;
    if (sectionEnd === undefined) return true;
    const text = this.#text;
    const end = text.indexOf(sectionEnd, this.#offset);
    if (end === -1) {
      // The last characters may be the start of the section's end.
      this.#offset = Math.max(this.#offset, text.length - sectionEnd.length + 1);
      return false;
    }
    this.#offset = end + sectionEnd.length;
    this.#sectionEnd = undefined;
    return true;
  }
}

/** Detects the encoding as the XML parser of assimp does, which supports only these two. */
function detectEncoding(firstBlock: Buffer): 'utf8' | 'latin1' {
  return LATIN1_DECLARATION.test(firstBlock.toString('latin1', 0, 512)) ? 'latin1' : 'utf8';
}

/** Offset of the next `>` outside of quotation marks; -1 if there is none in the text so far. */
function findTagEnd(text: string, start: number): number {
  for (let offset = start + 1; offset < text.length; offset++) {
    const code = text.charCodeAt(offset);
    if (code === GREATER_THAN) return offset;
    if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
      offset = text.indexOf(code === DOUBLE_QUOTE ? '"' : "'", offset + 1);
      if (offset === -1) return -1;
    }
  }
  return -1;
}

function visitTag(tag: XmlTag, state: XmlVisitState): void {
  const { openElements, limits, visitor } = state;
  assertTagLength(tag.length, state);
  if (tag.isEndTag) {
    if (openElements.pop() !== tag.name)
      throwUnreadable('xml', `The XML closes ${quoteUntrusted(tag.name)}, which is not open`);
    visitor.close?.(tag.localName);
    return;
  }
  assertWithinLimit('xmlElements', ++state.elementCount, limits);
  visitor.open(tag);
  if (tag.isSelfClosing) {
    visitor.close?.(tag.localName);
    return;
  }
  openElements.push(tag.name);
  assertWithinLimit('xmlDepth', openElements.length, limits);
}

function assertTagLength(length: number, { openElements, limits }: XmlVisitState): void {
  if (length <= limits.tagBytes) return;
  const parents = openElements.slice(-3).join('/');
  const path = parents === '' ? 'the start' : quoteUntrusted(parents);
  assertWithinLimit('tagBytes', length, limits, { path });
}
