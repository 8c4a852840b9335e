/** A start tag, or an end tag with `closes`; `empty` when it is both. */
export type XmlTag = {
  /** The name without its prefix. */
  name: string;
  isEndTag: boolean;
  isSelfClosing: boolean;
  /** The value of an attribute, by its name without a prefix. */
  getAttribute(attribute: string): string | undefined;
  /** Where the text behind the tag begins. */
  end: number;
};

const XML_ENTITIES: { readonly [name: string]: string } = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};

/**
 * Gives the tags of an XML text, one after the other, in one pass.
 *
 * No more than what formats of models need: entities of the document's own are not there, so none
 * can grow; comments, CDATA, processing instructions and the document type are stepped over.
 */
export function* readXmlTags(text: string): Generator<XmlTag> {
  for (let start = text.indexOf('<'); start >= 0; ) {
    const skipped = skipNonTag(text, start);
    if (skipped !== undefined) {
      start = text.indexOf('<', skipped);
      continue;
    }
    const end = findTagEnd(text, start);
    yield parseTag(text, start, end);
    start = text.indexOf('<', end);
  }
}

/** Text with its entities resolved. */
export function decodeXmlEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi,
    (whole, hex, decimal, name) => {
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
      if (name) return Object.hasOwn(XML_ENTITIES, name) ? (XML_ENTITIES[name] as string) : whole;
      return code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD';
    },
  );
}

/** Where what is no tag ends; undefined if a tag starts here. */
function skipNonTag(text: string, start: number): number | undefined {
  const next = text[start + 1];
  if (next !== '!' && next !== '?') return undefined;
  const close = text.startsWith('<!--', start)
    ? '-->'
    : text.startsWith('<![CDATA[', start)
      ? ']]>'
      : '>';
  const end = text.indexOf(close, start + 2);
  return end < 0 ? text.length : end + close.length;
}

/** Just behind the tag's `>`; one within quotes does not count. */
function findTagEnd(text: string, start: number): number {
  let end = text.indexOf('>', start);
  for (let quote = findQuote(text, start, end); quote >= 0; ) {
    const close = text.indexOf(text[quote] as string, quote + 1);
    if (close < 0) return text.length;
    if (close > end) end = text.indexOf('>', close);
    if (end < 0) return text.length;
    quote = findQuote(text, close + 1, end);
  }
  return end < 0 ? text.length : end + 1;
}

function findQuote(text: string, from: number, to: number): number {
  for (let at = from; at < to; at++) if (text[at] === '"' || text[at] === "'") return at;
  return -1;
}

function parseTag(text: string, start: number, end: number): XmlTag {
  const isEndTag = text[start + 1] === '/';
  const from = start + (isEndTag ? 2 : 1);
  let to = from;
  while (to < end && !/[\s/>]/.test(text[to] as string)) to++;
  const whole = text.slice(from, to);
  let attributes: Map<string, string> | undefined;
  return {
    name: whole.slice(whole.indexOf(':') + 1),
    isEndTag,
    isSelfClosing: text[end - 2] === '/',
    end,
    getAttribute(attribute) {
      attributes ??= parseAttributes(text.slice(to, end));
      return attributes.get(attribute);
    },
  };
}

function parseAttributes(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = '', , double, single] of text.matchAll(
    /([^\s=/]+)\s*=\s*("([^"]*)"|'([^']*)')/g,
  )) {
    attributes.set(name.slice(name.indexOf(':') + 1), decodeXmlEntities(double ?? single ?? ''));
  }
  return attributes;
}
