import { observeVisibility } from '../observe-visibility.ts';

/** Resolves when the element is in view and its document is not hidden. @throws {unknown} the reason of `signal` */
export function waitUntilVisible(element: Element, signal: AbortSignal): Promise<void> {
  const document = element.ownerDocument;
  return new Promise<void>((resolve, reject) => {
    let inView = false;
    const check = () => {
      if (inView && !document.hidden) end(resolve);
    };
    const abort = () => end(() => reject(signal.reason));
    const observer = observeVisibility(element, (isInView) => {
      inView = isInView;
      check();
    });
    document.addEventListener('visibilitychange', check);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();

    function end(settle: () => void): void {
      observer.disconnect();
      document.removeEventListener('visibilitychange', check);
      signal.removeEventListener('abort', abort);
      settle();
    }
  });
}
