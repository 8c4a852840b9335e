/**
 * Calls the listener when the size of an element in device pixels changes: also when only the pixel ratio does, after the page
 * is zoomed or moved to another screen. A ResizeObserver alone does not notice that.
 */
export function observeSize(element: Element, onChange: () => void): Disposable {
  const resizeObserver = new ResizeObserver(onChange);
  resizeObserver.observe(element);
  const abortController = new AbortController();
  const { signal } = abortController;
  // A query is about one pixel ratio.
  const observePixelRatio = () =>
    matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener(
      'change',
      () => {
        observePixelRatio();
        onChange();
      },
      { once: true, signal },
    );
  observePixelRatio();
  return {
    [Symbol.dispose]() {
      resizeObserver.disconnect();
      abortController.abort();
    },
  };
}
