import { PROCESSING_STEPS, type ProgressListener, type StepName } from '../processing-steps.ts';

const MAX_LINE_BYTES = 200;
const MAX_LINES = 10_000;
/** A worker that reports more is wrong. */
const MAX_MEMORY_BYTES = 2 ** 40;
const NEWLINE = 0x0a;

/**
 * Creates a reader of a worker's progress: one line of JSON per update, such as
 * `{"step":"textures","percent":40}`.
 *
 * A line with `memoryBytes` is passed to `onMemory`: the most memory that the worker has used so far.
 * Invalid lines are ignored, and everything after 10 000 lines. The percentage never decreases.
 */
export function createProgressReader(
  onProgress: ProgressListener,
  onMemory: (bytes: number) => void = () => {},
): (bytes: Buffer) => void {
  let line = Buffer.alloc(0);
  let isTooLong = false;
  let lineCount = 0;
  let maxPercent = 0;
  const onLine = (text: string) => {
    const value = parseObject(text);
    const memoryBytes = value && parseMemory(value);
    if (memoryBytes !== undefined) onMemory(memoryBytes);
    const progress = value && parseProgress(value);
    if (progress === undefined) return;
    maxPercent = Math.max(maxPercent, progress.percent);
    onProgress(progress.step, maxPercent);
  };
  return (bytes) => {
    for (let start = 0; start < bytes.length && lineCount < MAX_LINES; ) {
      const end = bytes.indexOf(NEWLINE, start);
      const piece = bytes.subarray(start, end === -1 ? undefined : end);
      isTooLong ||= line.length + piece.length > MAX_LINE_BYTES;
      line = isTooLong ? Buffer.alloc(0) : Buffer.concat([line, piece]);
      if (end === -1) return;
      lineCount += 1;
      if (!isTooLong) onLine(line.toString());
      line = Buffer.alloc(0);
      isTooLong = false;
      start = end + 1;
    }
  };
}

type ProgressLine = { step?: unknown; percent?: unknown; memoryBytes?: unknown };

function parseObject(text: string): ProgressLine | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The worker is untrusted, and nothing depends on its progress.
    return undefined;
  }
  return typeof value === 'object' && value !== null ? value : undefined;
}

function parseMemory({ memoryBytes }: ProgressLine): number | undefined {
  const isValid = Number.isSafeInteger(memoryBytes) && (memoryBytes as number) > 0;
  return isValid ? Math.min(memoryBytes as number, MAX_MEMORY_BYTES) : undefined;
}

function parseProgress({
  step,
  percent,
}: ProgressLine): { step: StepName; percent: number } | undefined {
  if (!PROCESSING_STEPS.some((name) => name === step)) return undefined;
  if (typeof percent !== 'number' || !(percent >= 0 && percent <= 100)) return undefined;
  return { step: step as StepName, percent: Math.floor(percent) };
}
