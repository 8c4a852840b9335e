import { type EmbedSnippet, TOKEN_PLACEHOLDER } from '@cloche/contract/embed';
import { toDesignUri } from '@cloche/contract/id';
import { escapeHtml } from '../http/escape-html.ts';

/**
 * Creates the HTML to paste into a page. It needs no script, so it works in every CMS.
 *
 * `referrerpolicy` overrides a `no-referrer` of the page, so that the gate sees the origin of the page.
 * Only the name is untrusted text. The aspect ratio is that of our posters, the
 * background that of the framed document in light mode.
 */
export function createSnippet(
  { id, name }: { id: string; name: string },
  publicOrigin: string,
): EmbedSnippet {
  const src = `${publicOrigin}/embed/iframe/v1/${id}?token=${TOKEN_PLACEHOLDER}`;
  const html = `<iframe src="${src}" title="${escapeHtml(name)}" loading="lazy" referrerpolicy="strict-origin" allow="fullscreen; xr-spatial-tracking; web-share" allowfullscreen style="display:block;width:100%;aspect-ratio:4/3;border:0;background:#dfe2e7"></iframe>`;
  return { html, src, placeholder: TOKEN_PLACEHOLDER, uri: toDesignUri(id) };
}
