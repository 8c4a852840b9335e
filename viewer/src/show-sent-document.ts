/**
 * An inline script of framed documents that browsers may cache. They are hidden, and it shows them before anything is painted if the service
 * has just sent them. For a document from the cache, no bytes were transferred: `revalidateDocument` shows it.
 */
const [timing] = performance.getEntriesByType('navigation') as [PerformanceNavigationTiming];
if (timing.transferSize) delete document.documentElement.dataset.cached;

export {};
