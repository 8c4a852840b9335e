/** How a browser with scripts treats the HTML around an element. Only `page` has an effect. */
export type ElementContext = 'page' | 'template' | 'noscript' | 'comment' | 'text';

/** An element of a page that may be an embed. */
export type EmbedElement = {
  name: string;
  line: number;
  attributes: ReadonlyMap<string, string>;
  context: ElementContext;
  /** An element around it is hidden. */
  inHidden: boolean;
  /** The policies of `<meta>` elements before it. */
  metaPolicies: readonly string[];
  /** The referrer policy of the last `<meta>` before it. Undefined if there is none. */
  metaReferrer: string | undefined;
};

/** A `<script>` with a `src`. */
export type ScriptElement = Pick<EmbedElement, 'attributes' | 'metaPolicies'>;

/** What matters of the HTML of a page, in its order. */
export type PageDocument = {
  embeds: readonly EmbedElement[];
  /** Scripts that load one of a service like this one. */
  sdkScripts: readonly ScriptElement[];
  hasScripts: boolean;
  /** The `href` of the first `<base>`. */
  base: string | undefined;
  /** The `content` of a `<meta http-equiv="refresh">`. */
  refresh: string | undefined;
};

/** The paths of framed documents: with a token, and of shared designs. */
export const EMBED_PATH = /\/embed\/(iframe|share)\/v1\//;
/** The path of the scripts of the SDK. */
export const SDK_PATH = /\/sdk\/v1\/cloche\.m?js\b/;

const EMBED_ELEMENTS: ReadonlySet<string> = new Set(['iframe', 'frame', 'object', 'embed']);
export const VIEWER_ELEMENT = 'cloche-viewer';

/** Says whether an element shows a design, or is intended to. */
export function isEmbedElement(name: string, attributes: ReadonlyMap<string, string>): boolean {
  if (name === VIEWER_ELEMENT) return true;
  return EMBED_ELEMENTS.has(name) && attributes.values().some((value) => EMBED_PATH.test(value));
}
