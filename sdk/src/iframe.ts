import type { ViewerOptions } from '@cloche/contract/viewer-options';
import { createEmbedUrlFor, type EmbedSource } from './embed-url.ts';

/** The attributes of the iframe in a snippet, as properties of the element. */
export const IFRAME_PROPERTIES = {
  // So that the service sees the origin of the page, also with `no-referrer`.
  referrerPolicy: 'strict-origin',
  allow: 'fullscreen; xr-spatial-tracking',
} as const;

/** A name in any language, for screen readers. A page should set the option `title`. */
export const DEFAULT_TITLE = '3D';

/** Creates the iframe of a snippet, and adds it to an element. @throws {ClocheError} sdk.invalid-source */
export function createIframe(
  container: Element | ShadowRoot,
  options: EmbedSource & ViewerOptions,
): HTMLIFrameElement {
  const iframe = document.createElement('iframe');
  Object.assign(iframe, IFRAME_PROPERTIES);
  iframe.title = options.title ?? DEFAULT_TITLE;
  iframe.loading = options.loading === 'eager' ? 'eager' : 'lazy';
  // The aspect ratio applies where the container has no height.
  iframe.style.cssText = 'display:block;width:100%;height:100%;aspect-ratio:4/3;border:0';
  iframe.src = createEmbedUrlFor('host' in container ? container.host : container, options);
  container.append(iframe);
  return iframe;
}
