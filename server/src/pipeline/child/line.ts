import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Tell } from '../report.ts';

const PARENT = 3;

/**
 * Ends this process when the parent is gone, at the next turn of the event loop. A library that
 * never lets it turn is ended by the system, where that can.
 */
export function followParent(): void {
  const line = new Socket({ fd: PARENT, readable: true, writable: false });
  line.on('close', () => process.exit(1)).resume();
  line.unref();
}

/** Tells the parent how far the job is. */
export const tellParent: Tell = (step, percent) => {
  try {
    writeSync(PARENT, `${JSON.stringify({ step, percent: Math.floor(percent) })}\n`);
  } catch {
    // The parent is busy or gone: progress may be missed, and `followParent` sees to the other.
  }
};
