import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { atExit } from '../at-exit.ts';
import { printable } from './printable.ts';

const KEPT_BYTES = 8 * 1024;
/** What each pipe may carry freely; then it is read at 6 MB/s, or a flood would keep us busy. */
const FREE_BYTES = 1024 * 1024;
const PAUSE_MS = 10;
/** How long its pipes may stay open after the end, should something have left the group. */
const DRAIN_MS = 1000;

export type Launch = {
  command: readonly string[];
  folder: string;
  timeoutMs: number;
  signal: AbortSignal;
  /** Gets what the child writes to descriptor 3. */
  hear(bytes: Buffer): void;
};

/** How a child ended. */
export type End = {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** Ended by us: it took too long, or was no longer wanted. */
  cut?: 'timeout' | 'aborted';
  /** The last of what it printed, for our log alone. */
  printed: string;
};

/** Runs a command in a group of its own, and leaves no process of that group behind. */
export async function launch({ command, ...task }: Launch): Promise<End> {
  const [program = '', ...rest] = command;
  const child = spawn(program, rest, {
    cwd: task.folder,
    env: {},
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const failed = once(child, 'error').then(([error]) => Promise.reject(error));
  failed.catch(ignore);
  // Without descriptors to spare there are no pipes, and the error is on its way.
  if (child.stdio?.[3] == null) return failed;
  const killGroup = () => kill(child);
  let cut: End['cut'];
  const cutFor = (reason: End['cut']) => () => {
    cut ??= reason;
    killGroup();
  };
  const abort = cutFor('aborted');
  const timer = setTimeout(cutFor('timeout'), task.timeoutMs);
  task.signal.addEventListener('abort', abort);
  // Stopping the service by process.exit leaves no child either.
  const takeBack = atExit(killGroup);
  const pipes = child.stdio.slice(1, 4) as [Readable, Readable, Readable];
  const [stdout, stderr, line] = pipes;
  const printed = [keepLast(stdout), keepLast(stderr)];
  line.on('data', task.hear);
  for (const pipe of pipes) slowDown(pipe.on('error', ignore));
  try {
    if (task.signal.aborted) abort();
    const closed = once(child, 'close');
    closed.catch(ignore);
    const exited = once(child, 'exit') as Promise<[number | null, End['signal']]>;
    const [exitCode, signal] = await Promise.race([exited, failed]);
    killGroup();
    await Promise.race([closed, once(AbortSignal.timeout(DRAIN_MS), 'abort')]);
    return {
      exitCode,
      signal,
      ...(cut && { cut }),
      printed: printed
        .map((text) => text())
        .join('\n')
        .trim(),
    };
  } finally {
    clearTimeout(timer);
    task.signal.removeEventListener('abort', abort);
    takeBack();
    for (const pipe of pipes) pipe.destroy();
  }
}

function kill(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nobody is left in the group.
  }
}

function slowDown(pipe: Readable): void {
  let left = FREE_BYTES;
  pipe.on('data', (bytes: Buffer) => {
    left -= bytes.length;
    if (left >= 0) return;
    pipe.pause();
    setTimeout(() => pipe.resume(), PAUSE_MS).unref();
  });
}

/** Keeps the end of what comes; neither stream can push out what the other said. */
function keepLast(stream: Readable): () => string {
  let kept = Buffer.alloc(0);
  stream.on('data', (bytes: Buffer) => {
    kept = Buffer.concat([kept, bytes]).subarray(-KEPT_BYTES / 2);
  });
  return () =>
    kept
      .toString()
      .split('\n')
      .map((text) => printable(text, KEPT_BYTES))
      .filter((text) => text !== '')
      .join('\n');
}

/** A stream's failure says only that the child is gone; its end says why. */
function ignore(): void {}
