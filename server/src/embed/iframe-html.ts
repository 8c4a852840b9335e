import { TOKEN_PLACEHOLDER } from '@cloche/contract/embed';
import type { ViewerOptions } from '@cloche/contract/viewer-options';
import type { DesignRecord } from '../designs/design.ts';
import { escapeHtml } from '../http/escape-html.ts';

/** The background of the framed document for a design without a poster. */
const DEFAULT_BACKGROUND = '#dfe2e7';
/** The edge of the dark theme; see viewer/page/first-paint.css. */
const DARK_BACKGROUND = '#1c1e22';

/** The options that the framed document will apply: those of its URL and those of the design. */
type FrameDesign = Pick<DesignRecord, 'revision'> & { options: ViewerOptions };

export type IframeHtmlOptions = Pick<DesignRecord, 'name'> & {
  src: string;
  options: ViewerOptions;
  /** CSS declarations. Undefined: the page has a style sheet. */
  style?: string;
  /** The size in pixels, for pages that remove `style`. */
  size?: { width: number; height: number };
};

/**
 * Creates the iframe of a design, with the attributes that the options ask for. Only the name and the texts of options
 * are untrusted.
 *
 * `referrerpolicy` overrides a `no-referrer` of the page, so that the gate sees the origin of the page.
 * `allow` has only features that browsers know: others, and `allowfullscreen` beside it, are warnings in
 * the console of the page.
 */
export function createIframeHtml({ name, src, options, style, size }: IframeHtmlOptions): string {
  const loading = options.loading === 'eager' ? 'eager' : 'lazy';
  const sizeAttributes = size ? ` width="${size.width}" height="${size.height}"` : '';
  const styleAttribute = style === undefined ? '' : ` style="${style}"`;
  return `<iframe src="${escapeHtml(src)}" title="${escapeText(options.title ?? name)}"${sizeAttributes} loading="${loading}" referrerpolicy="strict-origin" allow="fullscreen; xr-spatial-tracking"${styleAttribute}></iframe>`;
}

/** The placeholder must be in the HTML only where the token belongs. */
function escapeText(text: string): string {
  return escapeHtml(text).replaceAll(TOKEN_PLACEHOLDER, (found) => found.replaceAll('_', '&#95;'));
}

/**
 * Returns the style that fills the iframe until the document has loaded. Browsers paint a frame on an opaque background
 * if its color scheme is not that of the iframe element, which a dark page may change: a transparent frame is always light.
 */
export function createFrameBackground({ revision, options }: FrameDesign): string {
  const { background, theme = 'light' } = options;
  if (background === 'transparent') return 'background:transparent;color-scheme:light';
  if (background !== undefined) return `background:${background}`;
  if (theme === 'dark') return `background:${DARK_BACKGROUND}`;
  if (theme === 'auto') return 'background:transparent';
  return `background:${revision?.posterPlaceholder?.background ?? DEFAULT_BACKGROUND}`;
}
