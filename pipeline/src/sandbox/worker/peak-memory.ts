/**
 * The peak at the start of this process. Without a new process between the service and this one, Linux keeps the peak
 * of the service: exec does not reset it.
 */
const INITIAL_PEAK_BYTES = readPeak();

/** Returns the most memory that this process has used, or what it uses now if the peak is unknown. */
export function readPeakMemory(): number {
  const peakBytes = readPeak();
  if (peakBytes > INITIAL_PEAK_BYTES) return peakBytes;
  try {
    return process.memoryUsage.rss();
  } catch {
    // There is no /proc. Then bubblewrap has started this process, and the peak is its own.
    return peakBytes;
  }
}

function readPeak(): number {
  return process.resourceUsage().maxRSS * 1024;
}
