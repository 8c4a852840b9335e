import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { onExit } from './on-exit.ts';
import { sanitizeText } from './sanitize-text.ts';

const MAX_OUTPUT_BYTES = 8 * 1024;
/** What each pipe may carry freely; then it is read at 6 MB/s, or a flood would keep us busy. */
const UNTHROTTLED_BYTES = 1024 * 1024;
const THROTTLE_PAUSE_MS = 10;
/** How long its pipes may stay open after the end, should something have left the group. */
const DRAIN_TIMEOUT_MS = 1000;

export type RunProcessOptions = {
  command: readonly string[];
  directory: string;
  timeoutMs: number;
  signal: AbortSignal;
  /** Gets what the child writes to descriptor 3. */
  onData(bytes: Buffer): void;
};

/** How a child ended. */
export type ProcessExit = {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** Ended by us: it took too long, or was no longer wanted. */
  killReason?: 'timeout' | 'aborted';
  /** The last of what it printed, for our log alone. */
  output: string;
};

/** Runs a command in a group of its own, and leaves no process of that group behind. */
export async function runProcess({ command, ...task }: RunProcessOptions): Promise<ProcessExit> {
  const [program = '', ...rest] = command;
  const child = spawn(program, rest, {
    cwd: task.directory,
    env: {},
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const failed = once(child, 'error').then(([error]) => Promise.reject(error));
  failed.catch(ignoreError);
  // Without descriptors to spare there are no pipes, and the error is on its way.
  if (child.stdio?.[3] == null) return failed;
  const killGroup = () => killProcessGroup(child);
  let killReason: ProcessExit['killReason'];
  const cutFor = (reason: ProcessExit['killReason']) => () => {
    killReason ??= reason;
    killGroup();
  };
  const abort = cutFor('aborted');
  const timer = setTimeout(cutFor('timeout'), task.timeoutMs);
  task.signal.addEventListener('abort', abort);
  // Stopping the service by process.exit leaves no child either.
  const takeBack = onExit(killGroup);
  const pipes = child.stdio.slice(1, 4) as [Readable, Readable, Readable];
  const [stdout, stderr, line] = pipes;
  const printed = [captureTail(stdout), captureTail(stderr)];
  line.on('data', task.onData);
  for (const pipe of pipes) throttle(pipe.on('error', ignoreError));
  try {
    if (task.signal.aborted) abort();
    const closed = once(child, 'close');
    closed.catch(ignoreError);
    const exited = once(child, 'exit') as Promise<[number | null, ProcessExit['signal']]>;
    const [exitCode, signal] = await Promise.race([exited, failed]);
    killGroup();
    await Promise.race([closed, once(AbortSignal.timeout(DRAIN_TIMEOUT_MS), 'abort')]);
    return {
      exitCode,
      signal,
      ...(killReason && { killReason }),
      output: printed
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

function killProcessGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nobody is left in the group.
  }
}

function throttle(pipe: Readable): void {
  let left = UNTHROTTLED_BYTES;
  pipe.on('data', (bytes: Buffer) => {
    left -= bytes.length;
    if (left >= 0) return;
    pipe.pause();
    setTimeout(() => pipe.resume(), THROTTLE_PAUSE_MS).unref();
  });
}

/** Keeps the end of what comes; neither stream can push out what the other said. */
function captureTail(stream: Readable): () => string {
  let kept = Buffer.alloc(0);
  stream.on('data', (bytes: Buffer) => {
    kept = Buffer.concat([kept, bytes]).subarray(-MAX_OUTPUT_BYTES / 2);
  });
  return () =>
    kept
      .toString()
      .split('\n')
      .map((text) => sanitizeText(text, MAX_OUTPUT_BYTES))
      .filter((text) => text !== '')
      .join('\n');
}

/** A stream's failure says only that the child is gone; its end says why. */
function ignoreError(): void {}
