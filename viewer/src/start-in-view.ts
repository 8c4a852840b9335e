import { observeVisibility } from './observe-visibility.ts';

/**
 * Starts a request, and waits until the document is in view for the first time. The request is started at once,
 * because that is usually so. If it is not, the request is aborted, and started again when it is.
 */
export function startInView(
  root: Element,
  request: (signal: AbortSignal) => Promise<Response>,
): { inView: Promise<void>; firstResponse: Promise<Response> } {
  const firstAttempt = new AbortController();
  let response = request(firstAttempt.signal);
  const inView = new Promise<void>((resolve) => {
    const observer = observeVisibility(root, (isInView) => {
      if (!isInView) {
        firstAttempt.abort();
        return;
      }
      observer.disconnect();
      if (firstAttempt.signal.aborted) response = request(new AbortController().signal);
      resolve();
    });
  });
  const firstResponse = inView.then(() => response);
  // The caller may await the response later; until then a failure must not count as unhandled.
  firstResponse.catch(() => undefined);
  return { inView, firstResponse };
}
