import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { ProgressListener } from '../../processing-steps.ts';
import { PROGRESS_FD } from '../worker-protocol.ts';
import { readPeakMemory } from './peak-memory.ts';

/**
 * Exits this process when its parent has exited, at the next turn of the event loop. If a library
 * blocks the event loop, the kernel kills the process instead, if the system supports a parent death
 * signal.
 */
export function exitWithParent(): void {
  const socket = new Socket({ fd: PROGRESS_FD, readable: true, writable: false });
  socket.on('close', () => process.exit(1)).resume();
  socket.unref();
}

/** Sends the progress of the job to the parent. */
export const reportToParent: ProgressListener = (step, percent) => {
  sendLine({ step, percent: Math.floor(percent), memoryBytes: readPeakMemory() });
};

/** Sends the memory that this process has used, when it exits by itself. */
export function reportMemoryAtExit(): void {
  process.once('exit', () => sendLine({ memoryBytes: readPeakMemory() }));
}

function sendLine(line: object): void {
  try {
    writeSync(PROGRESS_FD, `${JSON.stringify(line)}\n`);
  } catch {
    // Either the parent is busy and misses this update, or it has exited: see exitWithParent.
  }
}
