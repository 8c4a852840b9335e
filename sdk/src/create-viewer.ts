import type { ViewerOptions } from '@cloche/contract/viewer-options';
import { controlIframe } from './control-iframe.ts';
import { type EmbedSource, hasSource } from './embed-url.ts';
import { createIframe } from './iframe.ts';
import { pickOptions } from './option-names.ts';
import { createSdkError } from './sdk-error.ts';
import type { ViewerHandle } from './viewer-handle.ts';

/** What to show, and all options of the viewer. Options without a value keep the default of the design. */
export type CreateViewerOptions = EmbedSource & {
  [Name in keyof ViewerOptions]?: ViewerOptions[Name] | undefined;
} & {
  /** After this time, a call that was not answered fails. Milliseconds; by default 32 000. */
  timeoutMs?: number | undefined;
};

/**
 * Shows a design in an element, or connects to a snippet that is already in the page.
 *
 * @param element the iframe of a snippet, an element that contains one, or an element that gets one
 * @example
 * const viewer = createViewer(document.querySelector('iframe'));
 * select.onchange = () => viewer.setVariant(select.value);
 * @example
 * createViewer(element, { design: 'cloche:design:…', token: 'cloche_pk_…', autoRotate: true });
 * @throws {ClocheError} sdk.invalid-source
 */
export function createViewer(
  element: Element | null,
  options: CreateViewerOptions = {},
): ViewerHandle {
  if (!element) throw createSdkError('sdk.invalid-source');
  const { src, design, token, service, timeoutMs } = options;
  const viewerOptions = pickOptions(options);
  const existing = findIframe(element, options);
  if (existing) return controlIframe(existing, { options: viewerOptions, timeoutMs });
  const iframe = createIframe(element, { src, design, token, service, ...viewerOptions });
  return controlIframe(iframe, { timeoutMs, removable: true });
}

function findIframe(element: Element, options: EmbedSource): HTMLIFrameElement | null {
  if (element instanceof HTMLIFrameElement) return element;
  return hasSource(options) ? null : element.querySelector('iframe');
}
