import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { ProgressListener } from '../../processing-steps.ts';

const PARENT_FD = 3;

/**
 * Ends this process when the parent is gone, at the next turn of the event loop. A library that
 * never lets it turn is ended by the system, where that can.
 */
export function exitWithParent(): void {
  const line = new Socket({ fd: PARENT_FD, readable: true, writable: false });
  line.on('close', () => process.exit(1)).resume();
  line.unref();
}

/** Tells the parent how far the job is. */
export const reportToParent: ProgressListener = (step, percent) => {
  try {
    writeSync(PARENT_FD, `${JSON.stringify({ step, percent: Math.floor(percent) })}\n`);
  } catch {
    // The parent is busy or gone: progress may be missed, and `followParent` sees to the other.
  }
};
