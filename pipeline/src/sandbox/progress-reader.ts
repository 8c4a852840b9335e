import { PROCESSING_STEPS, type ProgressListener, type StepName } from '../processing-steps.ts';

const MAX_LINE_BYTES = 200;
const MAX_LINES = 10_000;
const NEWLINE = 0x0a;

/**
 * Reads a child's progress, a line of JSON each: `{"step":"textures","percent":40}`.
 *
 * Whatever else it says is passed over, and beyond 10 000 lines all is. Percents never fall.
 */
export function createProgressReader(tell: ProgressListener): (bytes: Buffer) => void {
  let line = Buffer.alloc(0);
  let tooLong = false;
  let lines = 0;
  let reached = 0;
  const hear = (text: string) => {
    const progress = parseProgress(text);
    if (progress === undefined) return;
    reached = Math.max(reached, progress.percent);
    tell(progress.step, reached);
  };
  return (bytes) => {
    for (let start = 0; start < bytes.length && lines < MAX_LINES; ) {
      const end = bytes.indexOf(NEWLINE, start);
      const piece = bytes.subarray(start, end === -1 ? undefined : end);
      tooLong ||= line.length + piece.length > MAX_LINE_BYTES;
      line = tooLong ? Buffer.alloc(0) : Buffer.concat([line, piece]);
      if (end === -1) return;
      lines += 1;
      if (!tooLong) hear(line.toString());
      line = Buffer.alloc(0);
      tooLong = false;
      start = end + 1;
    }
  };
}

function parseProgress(text: string): { step: StepName; percent: number } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Not ours; nothing depends on it.
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { step, percent } = value as { step?: unknown; percent?: unknown };
  if (!PROCESSING_STEPS.some((known) => known === step)) return undefined;
  if (typeof percent !== 'number' || !(percent >= 0 && percent <= 100)) return undefined;
  return { step: step as StepName, percent: Math.floor(percent) };
}
