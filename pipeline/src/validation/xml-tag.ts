const XML_ENTITIES: { readonly [name: string]: string } = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};
const [SPACE, DOUBLE_QUOTE, SINGLE_QUOTE, SLASH, COLON, EQUALS] = [
  0x20, 0x22, 0x27, 0x2f, 0x3a, 0x3d,
];

/** A start tag, an end tag or a self-closing tag. Attributes are parsed when they are read. */
export class XmlTag {
  /** The name with its prefix, if any. */
  readonly name: string;
  readonly isEndTag: boolean;
  readonly isSelfClosing: boolean;
  readonly #text: string;
  readonly #attributesOffset: number;
  /** Offset of the `>`. */
  readonly #end: number;
  /** Length in characters, with the angle brackets. */
  readonly length: number;

  /**
   * @param start offset of the `<`
   * @param end offset of the `>`
   */
  constructor(text: string, start: number, end: number) {
    this.isEndTag = text.charCodeAt(start + 1) === SLASH;
    this.isSelfClosing = text.charCodeAt(end - 1) === SLASH;
    const nameStart = start + (this.isEndTag ? 2 : 1);
    const nameEnd = findNameEnd(text, nameStart, end);
    this.name = text.slice(nameStart, nameEnd);
    this.#text = text;
    this.#attributesOffset = nameEnd;
    this.#end = end;
    this.length = end + 1 - start;
  }

  /** The name without its prefix. */
  get localName(): string {
    const colon = this.name.indexOf(':');
    return colon === -1 ? this.name : this.name.slice(colon + 1);
  }

  /**
   * The value of the attribute with that name or, if there is none, of the first one with that name
   * after a prefix. Entities are decoded.
   */
  getAttribute(name: string): string | undefined {
    const text = this.#text;
    const end = this.#end;
    let prefixed: string | undefined;
    for (let offset = skipSpaces(text, this.#attributesOffset, end); offset < end; ) {
      const nameEnd = findNameEnd(text, offset, end);
      const nameStart = offset;
      offset = skipSpaces(text, nameEnd, end);
      if (text.charCodeAt(offset) !== EQUALS) {
        // Not an attribute: the slash of a self-closing tag, or a name without a value.
        offset = Math.max(offset, nameStart + 1);
        continue;
      }
      const quote = skipSpaces(text, offset + 1, end);
      const valueEnd = findValueEnd(text, quote, end);
      if (valueEnd === -1) {
        offset++;
        continue;
      }
      const match = matchName(text, nameStart, nameEnd, name);
      if (match === 'exact') return decodeAttributeValue(text.slice(quote + 1, valueEnd));
      if (match === 'prefixed') prefixed ??= text.slice(quote + 1, valueEnd);
      offset = skipSpaces(text, valueEnd + 1, end);
    }
    return prefixed === undefined ? undefined : decodeAttributeValue(prefixed);
  }
}

/** Replaces the predefined entities and character references. Other entities stay. */
function decodeXmlEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi,
    (entity: string, hex?: string, decimal?: string, name?: string) => {
      if (name) return Object.hasOwn(XML_ENTITIES, name) ? (XML_ENTITIES[name] as string) : entity;
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD';
    },
  );
}

/** Decodes a value as XML requires: line breaks and tabs that are not references become spaces. */
function decodeAttributeValue(raw: string): string {
  if (!/[&\t\r\n]/.test(raw)) return raw;
  return decodeXmlEntities(raw.replace(/\r\n|[\t\r\n]/g, ' '));
}

function matchName(
  text: string,
  start: number,
  end: number,
  name: string,
): 'exact' | 'prefixed' | undefined {
  const nameStart = end - name.length;
  if (nameStart < start || !text.startsWith(name, nameStart)) return undefined;
  if (nameStart === start) return 'exact';
  return text.charCodeAt(nameStart - 1) === COLON ? 'prefixed' : undefined;
}

function isSpace(code: number): boolean {
  return code <= SPACE;
}

function skipSpaces(text: string, start: number, end: number): number {
  let offset = start;
  while (offset < end && isSpace(text.charCodeAt(offset))) offset++;
  return offset;
}

/** Offset of the first character after the name of a tag or an attribute. */
function findNameEnd(text: string, start: number, end: number): number {
  for (let offset = start; offset < end; offset++) {
    const code = text.charCodeAt(offset);
    if (isSpace(code) || code === SLASH || code === EQUALS) return offset;
  }
  return end;
}

/** Offset of the closing quotation mark; -1 if no quoted value starts at `quote`. */
function findValueEnd(text: string, quote: number, end: number): number {
  const code = text.charCodeAt(quote);
  if (quote >= end || (code !== DOUBLE_QUOTE && code !== SINGLE_QUOTE)) return -1;
  const valueEnd = text.indexOf(code === DOUBLE_QUOTE ? '"' : "'", quote + 1);
  return valueEnd < end ? valueEnd : -1;
}
