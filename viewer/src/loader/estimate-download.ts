/** The part of PerformanceResourceTiming that is used. */
type ResourceTiming = Pick<
  PerformanceResourceTiming,
  'requestStart' | 'responseEnd' | 'transferSize'
>;

/**
 * Estimates how long a file will take to arrive, by the files that have arrived so far. 0 if all of them
 * were in the cache: then the file is probably there, too.
 */
export function estimateDownloadMs(bytes: number, arrived: readonly ResourceTiming[]): number {
  const transferred = arrived.filter(({ transferSize }) => transferSize > 0);
  if (transferred.length === 0) return 0;
  // The files were transferred at the same time, over one connection.
  const start = Math.min(...transferred.map(({ requestStart }) => requestStart));
  const end = Math.max(...transferred.map(({ responseEnd }) => responseEnd));
  const sum = transferred.reduce((total, { transferSize }) => total + transferSize, 0);
  return (bytes / sum) * (end - start);
}
