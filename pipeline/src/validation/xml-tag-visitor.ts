import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import { assertWithinLimit, type ValidationLimits } from './budgets.ts';
import type { ByteBlocks } from './lines.ts';
import { throwUnreadable } from './unreadable.ts';

/** What is seen of an XML file: its tags, in their order, and no text. */
export type XmlVisitor = {
  /** @param tag all between `<name` and `>`: give it to `attributeOf` */
  open(name: string, tag: string): void;
  close?(name: string): void;
};

/** What may be skipped over, however long, and where it ends. */
const SKIPPED_SECTIONS: readonly [start: string, end: string][] = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
];
const LONGEST_SECTION_START = 9;

/**
 * Walks the tags of an XML file. Declarations of types and entities are refused: no format that we
 * read has them, and they are how small files unfold to gigabytes or fetch others.
 *
 * @throws {Problem} design.unreadable, design.too-complex
 */
export async function visitXmlTags(
  blocks: ByteBlocks,
  limits: ValidationLimits,
  visitor: XmlVisitor,
): Promise<void> {
  const walk: XmlWalk = { path: [], elements: 0, skipTo: undefined, limits, visitor };
  let rest = '';
  for await (const block of blocks) {
    // Readers take NULs for UTF-16, and would see other tags than we do.
    if (block.includes(0)) throwUnreadable('encoding', 'The XML is not UTF-8; save it as UTF-8');
    rest = visitText(walk, rest + block.toString('latin1'));
  }
  const open = walk.path.at(-1);
  if (open !== undefined || walk.skipTo !== undefined || rest.startsWith('<')) {
    throwUnreadable(
      'truncated',
      `The XML ends within ${quoteUntrusted(open ?? rest.slice(0, 20))}: its end is missing`,
    );
  }
  if (walk.elements === 0) throwUnreadable('empty', 'The XML has no elements');
}

type XmlWalk = {
  readonly path: string[];
  elements: number;
  /** What ends the comment we are in. */
  skipTo: string | undefined;
  readonly limits: ValidationLimits;
  readonly visitor: XmlVisitor;
};

/** Walks what is whole; gives the rest, from where the next block goes on. */
function visitText(walk: XmlWalk, text: string): string {
  let at = 0;
  for (;;) {
    if (walk.skipTo !== undefined) {
      const end = text.indexOf(walk.skipTo, at);
      if (end === -1) return text.slice(Math.max(at, text.length - walk.skipTo.length + 1));
      at = end + walk.skipTo.length;
      walk.skipTo = undefined;
    }
    at = text.indexOf('<', at);
    if (at === -1) return '';
    if (text.length - at < LONGEST_SECTION_START && !text.includes('>', at)) return text.slice(at);
    const code = text.charCodeAt(at + 1);
    if (code === 0x21 || code === 0x3f) {
      const skipped = SKIPPED_SECTIONS.find(([start]) => text.startsWith(start, at));
      if (skipped === undefined) {
        throwUnreadable(
          'doctype',
          `The XML declares types or entities (${quoteUntrusted(text.slice(at, at + 30))}); remove them`,
        );
      }
      walk.skipTo = skipped[1];
      at += skipped[0].length;
      continue;
    }
    const end = findTagEnd(text, at);
    const bytes = (end === -1 ? text.length : end) - at;
    if (bytes > walk.limits.tagBytes)
      assertWithinLimit('tagBytes', bytes, walk.limits, { path: formatElementPath(walk) });
    if (end === -1) return text.slice(at);
    visitTag(walk, text.slice(at + 1, end));
    at = end + 1;
  }
}

/** Where the `>` is that stands in no quotes; -1 when it is not there yet. */
function findTagEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x3e) return at;
    if (code === 0x22 || code === 0x27) {
      at = text.indexOf(code === 0x22 ? '"' : "'", at + 1);
      if (at === -1) return -1;
    }
  }
  return -1;
}

function visitTag(walk: XmlWalk, tag: string): void {
  const { path, visitor } = walk;
  if (tag.startsWith('/')) {
    const name = tag.slice(1).trimEnd();
    if (path.pop() !== name)
      throwUnreadable('xml', `The XML closes ${quoteUntrusted(name)}, which is not open`);
    visitor.close?.(name);
    return;
  }
  const space = tag.search(/[\s/]/);
  const name = space === -1 ? tag : tag.slice(0, space);
  walk.elements++;
  if (walk.elements > walk.limits.xmlElements)
    assertWithinLimit('xmlElements', walk.elements, walk.limits);
  visitor.open(name, space === -1 ? '' : tag.slice(space));
  if (tag.endsWith('/')) {
    visitor.close?.(name);
    return;
  }
  path.push(name);
  if (path.length > walk.limits.xmlDepth) assertWithinLimit('xmlDepth', path.length, walk.limits);
}

function formatElementPath({ path }: XmlWalk): string {
  return path.length === 0 ? 'the start' : quoteUntrusted(path.slice(-3).join('/'));
}

/** The value of an attribute in a tag, its entities left as they are. */
export function getRawAttribute(tag: string, name: string): string | undefined {
  for (let at = tag.indexOf(name); at !== -1; at = tag.indexOf(name, at + 1)) {
    const found = /^\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(
      tag.slice(at + name.length, at + name.length + 4096),
    );
    if (found !== null && /\s/.test(tag.charAt(at - 1))) return found[1] ?? found[2];
  }
  return undefined;
}
