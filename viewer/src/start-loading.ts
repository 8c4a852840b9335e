import type { ViewerOptions } from '@cloche/contract/viewer-options';
import { observeVisibility } from './observe-visibility.ts';

/**
 * In about a tenth of all visits, Chromium reports a document that is in view as out of view for some milliseconds, until it has
 * heard from the process of the page.
 */
const ABORT_DELAY_MS = 50;

/** When a design is loaded, and its first response. */
export type LoadStart = {
  /** Resolves when the design is to be loaded. Until then, nothing but the poster is shown. */
  started: Promise<void>;
  /** The response with the preview, or with the model if there is no preview. */
  firstResponse: Promise<Response>;
  /** Starts to load, if that has not happened yet. */
  load: () => void;
  /** Whether the design is loaded, or its first file requested: false out of view, and before the click that loads it. */
  isRequested: () => boolean;
};

/**
 * Decides when to load the design, by the option `loading`. By default, that is when the document is in view for the first
 * time. The request is started at once, because that is usually so. If it is not, the request is aborted, and started
 * again when it is.
 */
export function startLoading(
  root: Element,
  loading: ViewerOptions['loading'],
  request: (signal: AbortSignal) => Promise<Response>,
): LoadStart {
  let attempt = new AbortController();
  const isLazy = loading !== 'eager' && loading !== 'click';
  let response = isLazy ? request(attempt.signal) : undefined;
  let resolve: () => void;
  const started = new Promise<void>((resolveStarted) => {
    resolve = resolveStarted;
  });
  let hasStarted = false;
  const isRequested = () => response !== undefined && !attempt.signal.aborted;
  const load = () => {
    hasStarted = true;
    if (!isRequested()) {
      attempt = new AbortController();
      response = request(attempt.signal);
    }
    resolve();
  };
  if (loading === 'eager') load();
  if (isLazy)
    observeVisibility(root, (inView) => {
      // After the first time, this changes nothing.
      if (inView) load();
      else setTimeout(() => hasStarted || attempt.abort(), ABORT_DELAY_MS);
    });
  const firstResponse = started.then(() => response as Promise<Response>);
  // The caller may await the response later; until then a failure must not count as unhandled.
  firstResponse.catch(() => undefined);
  return { started, firstResponse, load, isRequested };
}
