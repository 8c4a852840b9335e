/** An element that touches the edge of the visible area counts as intersecting, but nothing of it is visible. */
const SMALLEST_VISIBLE_SHARE = 1e-4;

/**
 * Calls the listener when an element comes into view and leaves it, and once at the start. Works in iframes of
 * other origins.
 */
export function observeVisibility(
  element: Element,
  onChange: (inView: boolean) => void,
): IntersectionObserver {
  const observer = new IntersectionObserver(
    (entries) => {
      const { isIntersecting, intersectionRatio } = entries.at(-1) as IntersectionObserverEntry;
      onChange(isIntersecting && intersectionRatio >= SMALLEST_VISIBLE_SHARE);
    },
    { threshold: [0, SMALLEST_VISIBLE_SHARE] },
  );
  observer.observe(element);
  return observer;
}
