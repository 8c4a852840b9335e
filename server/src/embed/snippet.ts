import { computeDefaultViewAspect } from '@cloche/contract/default-view';
import { type EmbedSnippet, TOKEN_PLACEHOLDER } from '@cloche/contract/embed';
import { toDesignUri } from '@cloche/contract/id';
import { normalizeOptions } from '@cloche/contract/parse-option';
import {
  toParameterName,
  type ViewerOptionName,
  type ViewerOptions,
} from '@cloche/contract/viewer-options';
import type { DesignRecord } from '../designs/design.ts';
import { createFrameBackground, createIframeHtml } from './iframe-html.ts';

/** The aspect ratio (width / height) for a design without bounds: that of our posters. */
const DEFAULT_ASPECT = 4 / 3;
/** Limits: an iframe fills the width of its column, so a tower must not become a tower of an iframe. */
const MIN_ASPECT = 0.75;
const MAX_ASPECT = 16 / 9;

type SnippetDesign = Pick<DesignRecord, 'id' | 'name' | 'revision' | 'viewer'>;

/**
 * Creates the HTML to paste into a page. It needs no script, so it works in every CMS.
 *
 * The options are in the URL, after the token. The iframe element itself has the attributes of the options that the
 * framed document will apply: those in the URL, and those of the design.
 */
export function createSnippet(
  design: SnippetDesign,
  publicOrigin: string,
  requestedOptions: ViewerOptions = {},
): EmbedSnippet {
  const { id, name, revision } = design;
  const requested = normalizeOptions(requestedOptions);
  const options = normalizeOptions({ ...design.viewer, ...requested });
  const src = `${publicOrigin}/embed/iframe/v1/${id}?token=${TOKEN_PLACEHOLDER}${toParameters(requested)}`;
  const aspect = chooseAspect(revision?.stats.bounds);
  const style = `display:block;width:100%;aspect-ratio:${aspect};border:0;${createFrameBackground({ revision, options })}`;
  const html = createIframeHtml({ name, src, options, style });
  return { html, src, placeholder: TOKEN_PLACEHOLDER, uri: toDesignUri(id) };
}

/** Returns `&name=value` for each option. */
function toParameters(options: ViewerOptions): string {
  return Object.entries(options)
    .map(([name, value]) => {
      const text = encodeURIComponent(value).replace(/[!'()*]/g, toPercent);
      // The placeholder must occur once.
      const encoded = text.replaceAll(TOKEN_PLACEHOLDER, (found) => found.replaceAll('_', '%5F'));
      return `&${toParameterName(name as ViewerOptionName)}=${encoded}`;
    })
    .join('');
}

/** `encodeURIComponent` keeps these characters, which some content management systems and Markdown change. */
function toPercent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
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
