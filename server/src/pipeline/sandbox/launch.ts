import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { printable } from './printable.ts';

const KEPT_BYTES = 8 * 1024;
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
  process.on('exit', killGroup);
  const pipes = child.stdio.slice(1, 4) as [Readable, Readable, Readable];
  const [stdout, stderr, line] = pipes;
  const printed = keepLast(stdout, stderr);
  line.on('data', task.hear).on('error', ignore);
  try {
    if (task.signal.aborted) abort();
    const closed = once(child, 'close');
    closed.catch(ignore);
    const [exitCode, signal] = (await once(child, 'exit')) as [number | null, End['signal']];
    killGroup();
    await Promise.race([closed, once(AbortSignal.timeout(DRAIN_MS), 'abort')]);
    return { exitCode, signal, ...(cut && { cut }), printed: printed() };
  } finally {
    clearTimeout(timer);
    task.signal.removeEventListener('abort', abort);
    process.off('exit', killGroup);
    for (const stream of pipes) stream.destroy();
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

function keepLast(...streams: readonly Readable[]): () => string {
  let kept = Buffer.alloc(0);
  for (const stream of streams) {
    stream.on('error', ignore).on('data', (bytes: Buffer) => {
      kept = Buffer.concat([kept, bytes]).subarray(-KEPT_BYTES);
    });
  }
  return () =>
    kept
      .toString()
      .split('\n')
      .map((line) => printable(line, KEPT_BYTES))
      .filter((line) => line !== '')
      .join('\n');
}

/** A stream's failure says only that the child is gone; its end says why. */
function ignore(): void {}
