import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { toSingleLine } from '@cloche/contract/untrusted-text';
import { killProcessGroup } from './kill-process-group.ts';
import { onExit } from './on-exit.ts';

const MAX_OUTPUT_BYTES = 8 * 1024;
/** Bytes read from each pipe at full speed. After that, each pipe is read at 6 MB/s to limit our CPU use. */
const UNTHROTTLED_BYTES = 1024 * 1024;
const THROTTLE_PAUSE_MS = 10;
/** How long we wait for the pipes to close after the exit: a process outside the group may hold them. */
const DRAIN_TIMEOUT_MS = 1000;
/** How long we wait after the exit for the results to be stored. A pipe has less than 1 MB in it. */
const RESULTS_TIMEOUT_MS = 30_000;

/** The command to run, and its limits. */
export type RunProcessOptions = {
  command: readonly string[];
  directory: string;
  timeoutMs: number;
  /** Kills the process when it is aborted. */
  signal?: AbortSignal | undefined;
  /** Receives what the process writes to file descriptor 3. Default: discards it. */
  onData?(bytes: Buffer): void;
  /** What the process can read from file descriptor 5. */
  filter?: Buffer;
  /** Reads what the process writes to file descriptor 4. If it throws, the process is killed. Default: discards it. */
  receiveResults?(pipe: Readable): Promise<void>;
};

/** How a process ended. */
export type ProcessExit = {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** Set if we killed the process. */
  killReason?: 'timeout' | 'aborted' | 'results';
  /** What `receiveResults` has thrown. */
  resultsError?: unknown;
  /** The end of its standard output and error, for our log only. */
  output: string;
};

/** Runs a command in its own process group, and kills all of the group when the command ends. */
export async function runProcess(options: RunProcessOptions): Promise<ProcessExit> {
  const [program = '', ...args] = options.command;
  const child = spawn(program, args, {
    cwd: options.directory,
    env: {},
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', ...(options.filter ? ['pipe' as const] : [])],
    detached: true,
  });
  const failed = once(child, 'error').then(([error]) => Promise.reject(error));
  failed.catch(ignoreError);
  // Without free file descriptors there are no pipes, and the `error` event follows.
  if (child.stdio?.[4] == null) return failed;
  const pipes = child.stdio.slice(1, 5) as [Readable, Readable, Readable, Readable];
  const [stdout, stderr, dataPipe, resultsPipe] = pipes;
  (child.stdio as unknown as Writable[])[5]?.on('error', ignoreError).end(options.filter);
  const tails = [captureTail(stdout), captureTail(stderr)];
  dataPipe.on('data', (bytes: Buffer) => options.onData?.(bytes));
  for (const pipe of pipes) pipe.on('error', ignoreError);
  for (const pipe of [stdout, stderr, dataPipe]) throttle(pipe);

  using killSwitch = armKillSwitch(child, options);
  const results = receive(resultsPipe, options, () => killSwitch.kill('results'));
  try {
    const closed = once(child, 'close');
    closed.catch(ignoreError);
    const exited = once(child, 'exit') as Promise<[number | null, ProcessExit['signal']]>;
    const [exitCode, signal] = await Promise.race([exited, failed]);
    killProcessGroup(child);
    await Promise.race([closed, once(AbortSignal.timeout(DRAIN_TIMEOUT_MS), 'abort')]);
    await Promise.race([results, once(AbortSignal.timeout(RESULTS_TIMEOUT_MS), 'abort')]);
    resultsPipe.destroy();
    const resultsError = await results;
    const { killReason } = killSwitch;
    const output = tails.map((readTail) => readTail()).join('\n');
    return {
      exitCode,
      signal,
      ...(killReason && { killReason }),
      ...(resultsError !== undefined && { resultsError }),
      output: output.trim(),
    };
  } finally {
    for (const pipe of pipes) pipe.destroy();
  }
}

/** Returns what was thrown, or undefined. */
async function receive(
  pipe: Readable,
  { receiveResults }: RunProcessOptions,
  onError: () => void,
): Promise<unknown> {
  if (receiveResults === undefined) {
    pipe.resume();
    return undefined;
  }
  try {
    await receiveResults(pipe);
  } catch (error) {
    // The pipe did not end after the exit. A result without the last file, the report, is not valid.
    if ((error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE') return undefined;
    onError();
    return error;
  }
}

type KillReason = NonNullable<ProcessExit['killReason']>;
type KillSwitch = Disposable & {
  readonly killReason: KillReason | undefined;
  kill(reason: KillReason): void;
};

/** Until disposed, kills the process group on timeout, on abort and when the service exits. */
function armKillSwitch(
  child: ChildProcess,
  { timeoutMs, signal }: Pick<RunProcessOptions, 'timeoutMs' | 'signal'>,
): KillSwitch {
  let killReason: KillReason | undefined;
  const kill = (reason: KillReason) => {
    killReason ??= reason;
    killProcessGroup(child);
  };
  const onAbort = () => kill('aborted');
  const timer = setTimeout(() => kill('timeout'), timeoutMs);
  const unregister = onExit(() => killProcessGroup(child));
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  return {
    get killReason() {
      return killReason;
    },
    kill,
    [Symbol.dispose]() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      unregister();
    },
  };
}

function throttle(pipe: Readable): void {
  let remainingBytes = UNTHROTTLED_BYTES;
  pipe.on('data', (bytes: Buffer) => {
    remainingBytes -= bytes.length;
    if (remainingBytes >= 0) return;
    pipe.pause();
    setTimeout(() => pipe.resume(), THROTTLE_PAUSE_MS).unref();
  });
}

/** Stores the end of a stream; each stream has its own half of the limit. */
function captureTail(stream: Readable): () => string {
  let tail = Buffer.alloc(0);
  stream.on('data', (bytes: Buffer) => {
    tail = Buffer.concat([tail, bytes]).subarray(-MAX_OUTPUT_BYTES / 2);
  });
  return () =>
    tail
      .toString()
      .split('\n')
      .map((text) => toSingleLine(text, MAX_OUTPUT_BYTES))
      .filter((text) => text !== '')
      .join('\n');
}

/** A stream error only means that the process has exited; ProcessExit has the reason. */
function ignoreError(): void {}
