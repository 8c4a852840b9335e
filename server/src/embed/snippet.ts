import { computeDefaultViewAspect } from '@cloche/contract/default-view';
import { type EmbedSnippet, TOKEN_PLACEHOLDER } from '@cloche/contract/embed';
import { toDesignUri } from '@cloche/contract/id';
import type { DesignRecord } from '../designs/design.ts';
import { escapeHtml } from '../http/escape-html.ts';

/** The aspect ratio (width / height) for a design without bounds: that of our posters. */
const DEFAULT_ASPECT = 4 / 3;
/** Limits: an iframe fills the width of its column, so a tower must not become a tower of an iframe. */
const MIN_ASPECT = 0.75;
const MAX_ASPECT = 16 / 9;
/** The background of the framed document for a design without a poster. */
const DEFAULT_BACKGROUND = '#dfe2e7';

/**
 * Creates the HTML to paste into a page. It needs no script, so it works in every CMS.
 *
 * `referrerpolicy` overrides a `no-referrer` of the page, so that the gate sees the origin of the page.
 * `allow` has only features that browsers know: others, and `allowfullscreen` beside it, are warnings in
 * the console of the page. Only the name is untrusted text.
 */
export function createSnippet(
  { id, name, revision }: Pick<DesignRecord, 'id' | 'name' | 'revision'>,
  publicOrigin: string,
): EmbedSnippet {
  const src = `${publicOrigin}/embed/iframe/v1/${id}?token=${TOKEN_PLACEHOLDER}`;
  const aspect = chooseAspect(revision?.stats.bounds);
  const background = revision?.posterPlaceholder?.background ?? DEFAULT_BACKGROUND;
  const style = `display:block;width:100%;aspect-ratio:${aspect};border:0;background:${background}`;
  const html = `<iframe src="${src}" title="${escapeHtml(name)}" loading="lazy" referrerpolicy="strict-origin" allow="fullscreen; xr-spatial-tracking" style="${style}"></iframe>`;
  return { html, src, placeholder: TOKEN_PLACEHOLDER, uri: toDesignUri(id) };
}

export type Bounds = NonNullable<DesignRecord['revision']>['stats']['bounds'];

/** Returns the aspect ratio (width / height) of the design in its default view, within the limits. */
export function chooseAspect(bounds: Bounds): number {
  if (bounds === undefined) return round(DEFAULT_ASPECT);
  const [x, y, z] = bounds.max.map((max, axis) => max - (bounds.min[axis] ?? 0));
  const aspect = computeDefaultViewAspect({ x: x ?? 0, y: y ?? 0, z: z ?? 0 });
  // A point has no aspect ratio: NaN.
  if (!(aspect > 0)) return round(DEFAULT_ASPECT);
  return round(Math.min(Math.max(aspect, MIN_ASPECT), MAX_ASPECT));
}

function round(aspect: number): number {
  return Math.round(aspect * 100) / 100;
}
