import { type EmbedSnippet, TOKEN_PLACEHOLDER } from '@cloche/contract/embed';
import { toDesignUri } from '@cloche/contract/id';
import { escapeHtml } from '../http/escape-html.ts';

type SnippetDesign = { id: string; name: string };

/**
 * The HTML that somebody pastes. Works in any CMS, without a script.
 *
 * `referrerpolicy` beats a page-wide `no-referrer`, so the gate gets to see the page's origin. The
 * name is hostile text; everything else is ours. The ratio is that of the pictures we take, the background
 * that of the framed page by day: an embed is made before its design is looked at.
 */
export function createSnippet({ id, name }: SnippetDesign, publicOrigin: string): EmbedSnippet {
  const src = `${publicOrigin}/embed/iframe/v1/${id}?token=${TOKEN_PLACEHOLDER}`;
  const html = `<iframe src="${src}" title="${escapeHtml(name)}" loading="lazy" referrerpolicy="strict-origin" allow="fullscreen; xr-spatial-tracking; web-share" allowfullscreen style="display:block;width:100%;aspect-ratio:4/3;border:0;background:#dfe2e7"></iframe>`;
  return { html, src, placeholder: TOKEN_PLACEHOLDER, uri: toDesignUri(id) };
}

/** Snippets, each written once: a design that was renamed is another object. */
export class SnippetCache {
  readonly #publicOrigin: string;
  readonly #cache = new WeakMap<SnippetDesign, EmbedSnippet>();

  constructor(publicOrigin: string) {
    this.#publicOrigin = publicOrigin;
  }

  get(design: SnippetDesign): EmbedSnippet {
    const known = this.#cache.get(design);
    if (known !== undefined) return known;
    const snippet = createSnippet(design, this.#publicOrigin);
    this.#cache.set(design, snippet);
    return snippet;
  }
}
