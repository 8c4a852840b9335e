/**
 * An inline script of framed documents that browsers may cache. It runs before anything is painted, and hides the document unless the service
 * has just sent it: for a document from the cache, no bytes were transferred. `validateDocument` shows it.
 */
(([timing]) => {
  if (!timing?.transferSize) document.documentElement.dataset.cached = timing?.type;
})(performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]);
