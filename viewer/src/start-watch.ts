/** Below this time, a slow connection may still deliver the module scripts. */
const START_TIMEOUT_MS = 15_000;

type StartWatchOptions = {
  /** A script did not arrive, or failed. `reason` is for the author of the page. */
  onFailed: (reason: string) => void;
  /** The module scripts have not started in time. They may still start. */
  onSlow: () => void;
};

/**
 * Observes whether the module scripts start. Must be called before the browser parses their element: the
 * error of an element is reported only once. Returns a function that ends the observation.
 */
export function watchStart(page: Window, { onFailed, onSlow }: StartWatchOptions): () => void {
  const controller = new AbortController();
  const timer = page.setTimeout(onSlow, START_TIMEOUT_MS);
  const stop = () => {
    page.clearTimeout(timer);
    controller.abort();
  };
  // Errors of elements do not bubble. An import that fails is an error of the element of its script.
  page.addEventListener(
    'error',
    ({ target, message }) => {
      if (target instanceof HTMLElement && !(target instanceof HTMLScriptElement)) return;
      stop();
      onFailed(target instanceof HTMLScriptElement ? target.src : message);
    },
    { capture: true, signal: controller.signal },
  );
  return stop;
}
