import { type EmbedSnippet, PLACEHOLDER } from '@cloche/contract/embed';
import { designUri } from '@cloche/contract/id';
import { escapeHtml } from '../http/html.ts';

type Shown = { id: string; name: string };

/**
 * The HTML that somebody pastes. Works in any CMS, without a script.
 *
 * `referrerpolicy` beats a page-wide `no-referrer`, so the gate gets to see the page's origin. The
 * name is hostile text; everything else is ours. The ratio is that of the pictures we take, the background
 * that of the framed page by day: an embed is made before its design is looked at.
 */
export function makeSnippet({ id, name }: Shown, publicOrigin: string): EmbedSnippet {
  const src = `${publicOrigin}/embed/iframe/v1/${id}?token=${PLACEHOLDER}`;
  const html = `<iframe src="${src}" title="${escapeHtml(name)}" loading="lazy" referrerpolicy="strict-origin" allow="fullscreen; xr-spatial-tracking; web-share" allowfullscreen style="display:block;width:100%;aspect-ratio:4/3;border:0;background:#dfe2e7"></iframe>`;
  return { html, src, placeholder: PLACEHOLDER, uri: designUri(id) };
}

/** Snippets, each written once: a design that was renamed is another object. */
export class Snippets {
  readonly #publicOrigin: string;
  readonly #written = new WeakMap<Shown, EmbedSnippet>();

  constructor(publicOrigin: string) {
    this.#publicOrigin = publicOrigin;
  }

  of(design: Shown): EmbedSnippet {
    const known = this.#written.get(design);
    if (known !== undefined) return known;
    const snippet = makeSnippet(design, this.#publicOrigin);
    this.#written.set(design, snippet);
    return snippet;
  }
}
