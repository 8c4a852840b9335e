import { setImmediate } from 'node:timers/promises';
import { type Token, Tokenizer, TokenizerMode } from 'parse5';
import { HiddenElements } from './hidden-elements.ts';
import {
  type ElementContext,
  EMBED_PATH,
  type EmbedElement,
  isEmbedElement,
  type PageDocument,
  type ScriptElement,
  SDK_PATH,
  VIEWER_ELEMENT,
} from './page-document.ts';

/** The event loop runs between two pieces. Most take a few milliseconds; one with thousands of attributes took 0.7 s. */
const PIECE_LENGTH = 32 * 1024;
/** Of each page; a page with more embeds is not made for people. */
const MAX_EMBEDS = 500;
const MAX_META_POLICIES = 50;

/** Elements whose content is text, and how it is read. `noscript` is as with scripts. */
const TEXT_MODES: Readonly<Record<string, Tokenizer['state']>> = {
  script: TokenizerMode.SCRIPT_DATA,
  ...Object.fromEntries(
    ['style', 'xmp', 'iframe', 'noembed', 'noframes', 'noscript'].map((name) => [
      name,
      TokenizerMode.RAWTEXT,
    ]),
  ),
  title: TokenizerMode.RCDATA,
  textarea: TokenizerMode.RCDATA,
  plaintext: TokenizerMode.PLAINTEXT,
};
/** Others end the head. A policy in a `<meta>` counts in the head only. */
const HEAD_ELEMENTS: ReadonlySet<string> = new Set(
  'html head meta link title base script style noscript template bgsound basefont noframes'.split(
    ' ',
  ),
);

type PageDocumentDraft = {
  -readonly [Name in keyof PageDocument]: PageDocument[Name] extends readonly (infer Item)[]
    ? Item[]
    : PageDocument[Name];
};

/**
 * Finds the embeds in the HTML of a page, and what decides whether a browser shows them.
 *
 * It reads tokens instead of building a tree, which takes up to 612 MB for hostile HTML of 2 MB: see decision 60.
 *
 * @param signal aborts when nobody waits for the result
 */
export async function parsePage(html: string, signal: AbortSignal): Promise<PageDocument> {
  const page: PageDocumentDraft = {
    embeds: [],
    sdkScripts: [],
    hasScripts: false,
    base: undefined,
    refresh: undefined,
  };
  const inert: InertHtml[] = [];
  await tokenize(html, new PageReader(page, inert), signal);
  for (const { html: inner, context, line } of inert) {
    await tokenize(inner, new PageReader(page, [], { context, line }), signal);
  }
  page.embeds.sort((a, b) => a.line - b.line);
  return page;
}

async function tokenize(html: string, reader: PageReader, signal: AbortSignal): Promise<void> {
  const tokenizer = new Tokenizer({ sourceCodeLocationInfo: true }, reader);
  reader.tokenizer = tokenizer;
  for (let start = 0; start <= html.length; start += PIECE_LENGTH) {
    const end = start + PIECE_LENGTH;
    tokenizer.write(html.slice(start, end), end > html.length);
    await setImmediate();
    signal.throwIfAborted();
  }
}

/** HTML that contains an embed and has no effect where it is. */
type InertHtml = { html: string; context: ElementContext; line: number };

/** Receives the tokens of a page. */
class PageReader {
  tokenizer: Tokenizer | undefined;
  readonly #page: PageDocumentDraft;
  readonly #inert: InertHtml[];
  readonly #context: ElementContext;
  readonly #firstLine: number;
  readonly #hidden = new HiddenElements();
  /** For each open `<template>`, whether its content has no effect. */
  readonly #templates: boolean[] = [];
  /** Open `<svg>` and `<math>`. */
  #foreignDepth = 0;
  #inHead = true;
  #metaPolicies: readonly string[] = [];
  #metaReferrer: string | undefined;
  #viewer: EmbedElement | undefined;
  /** The text since the last tag, and where it begins. */
  #text = '';
  #textLine = 1;
  /** The open element whose content is text. */
  #textElement: string | undefined;

  constructor(
    page: PageDocumentDraft,
    inert: InertHtml[],
    { context, line }: { context: ElementContext; line: number } = { context: 'page', line: 1 },
  ) {
    this.#page = page;
    this.#inert = inert;
    this.#context = context;
    this.#firstLine = line;
  }

  onStartTag({ tagName, attrs, selfClosing, location }: Token.TagToken): void {
    this.#endText();
    const attributes = new Map(attrs.map(({ name, value }) => [name, value]));
    if (tagName === 'svg' || tagName === 'math') this.#foreignDepth += selfClosing ? 0 : 1;
    else if (this.#foreignDepth === 0) this.#enterTextElement(tagName);
    if (!HEAD_ELEMENTS.has(tagName)) this.#inHead = false;
    if (tagName === 'template') this.#templates.push(!attributes.has('shadowrootmode'));
    this.#readMetadata(tagName, attributes);
    if (isEmbedElement(tagName, attributes))
      this.#addEmbed(tagName, attributes, location?.startLine ?? 1);
    this.#hidden.open(tagName, attributes);
  }

  onEndTag({ tagName }: Token.TagToken): void {
    this.#endText();
    this.#textElement = undefined;
    if (tagName === 'head') this.#inHead = false;
    if (tagName === 'svg' || tagName === 'math')
      this.#foreignDepth = Math.max(0, this.#foreignDepth - 1);
    if (tagName === 'template') this.#templates.pop();
    if (tagName === VIEWER_ELEMENT) this.#viewer = undefined;
    this.#hidden.close(tagName);
  }

  onCharacter(token: Token.CharacterToken): void {
    if (this.#textElement === undefined) this.#inHead = false;
    this.onWhitespaceCharacter(token);
  }

  onWhitespaceCharacter({ chars, location }: Token.CharacterToken): void {
    if (this.#text === '') this.#textLine = location?.startLine ?? 1;
    this.#text += chars;
  }

  onComment({ data, location }: Token.CommentToken): void {
    this.#endText();
    this.#addInert(data, 'comment', location?.startLine ?? 1);
  }

  onEof(): void {
    this.#endText();
  }

  onDoctype(): void {}

  onNullCharacter(): void {}

  /** What the text of the page shows, and what is in `<noscript>`, can be HTML. */
  #endText(): void {
    const text = this.#text;
    this.#text = '';
    const context = this.#textElement ?? 'text';
    if (context === 'text' || context === 'noscript') this.#addInert(text, context, this.#textLine);
  }

  #addInert(html: string, context: ElementContext, line: number): void {
    if (!(html.includes('<') && EMBED_PATH.test(html))) return;
    // HTML in HTML that has no effect is not looked for twice.
    if (this.#context === 'page') this.#inert.push({ html, context, line });
  }

  #enterTextElement(name: string): void {
    const mode = TEXT_MODES[name];
    if (mode === undefined || this.tokenizer === undefined) return;
    this.#textElement = name;
    this.tokenizer.state = mode;
  }

  #readMetadata(name: string, attributes: ReadonlyMap<string, string>): void {
    if (this.#context !== 'page' || this.#templates.includes(true)) return;
    if (name === 'base') this.#page.base ??= attributes.get('href');
    if (name === 'script') this.#readScript(attributes);
    if (name === 'meta') this.#readMeta(attributes);
  }

  #readScript(attributes: ReadonlyMap<string, string>): void {
    this.#page.hasScripts = true;
    if (!SDK_PATH.test(attributes.get('src') ?? '')) return;
    const script: ScriptElement = { attributes, metaPolicies: this.#metaPolicies };
    this.#page.sdkScripts.push(script);
  }

  #readMeta(attributes: ReadonlyMap<string, string>): void {
    const content = attributes.get('content')?.trim() ?? '';
    const directive = attributes.get('http-equiv')?.trim().toLowerCase();
    if (content === '') return;
    const isPolicy = directive === 'content-security-policy' && this.#inHead;
    if (isPolicy && this.#metaPolicies.length < MAX_META_POLICIES)
      this.#metaPolicies = [...this.#metaPolicies, content];
    if (directive === 'refresh') this.#page.refresh ??= content;
    if (attributes.get('name')?.trim().toLowerCase() === 'referrer') this.#metaReferrer = content;
  }

  #addEmbed(name: string, attributes: ReadonlyMap<string, string>, line: number): void {
    const embed: EmbedElement = {
      name,
      line: this.#firstLine + line - 1,
      attributes,
      context: this.#templates.includes(true) ? 'template' : this.#context,
      inHidden: this.#hidden.isInside,
      metaPolicies: this.#metaPolicies,
      metaReferrer: this.#metaReferrer,
    };
    const { embeds } = this.#page;
    if (name === VIEWER_ELEMENT) this.#viewer = embed;
    // The element controls the iframe inside: that is the embed.
    else if (embeds.at(-1) === this.#viewer) embeds.pop();
    if (embeds.length < MAX_EMBEDS) embeds.push(embed);
  }
}
