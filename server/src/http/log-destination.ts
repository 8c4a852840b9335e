import { constants, openSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { DestinationStream } from 'pino';

const FLUSH_INTERVAL_MS = 100;
/** One write per line would cost more than the response that the line describes. */
const MIN_WRITE_LENGTH = 4096;
/** Maximum length of the lines that wait for the reader, in characters. */
const MAX_QUEUED_LENGTH = 1024 * 1024;
/** Maximum time that a process that exits waits for the reader. */
const EXIT_TIMEOUT_MS = 500;
const EXIT_POLL_INTERVAL_MS = 5;

/** Errors after which nobody reads any more. All others can end, also ENOSPC. */
const CLOSED_CODES = ['EPIPE', 'ECONNRESET', 'EBADF'];

/**
 * Writes log lines to a file descriptor, and never waits for the reader. While the reader takes no lines, up to
 * 1 MiB of them wait; more are dropped and counted. A line with the count follows when the reader has taken the
 * waiting lines.
 */
export class LogDestination implements DestinationStream {
  readonly #fd: number;
  #lines: string[] = [];
  #queuedLength = 0;
  /** Lines that are being written. The reader has not taken them yet. */
  #unwritten: Uint8Array = new Uint8Array();
  #droppedLines = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param fd must not block, unless it is a file */
  constructor(fd: number) {
    this.#fd = fd;
  }

  /** Adds a line. It is written within 100 ms if there is a reader. */
  write(line: string): void {
    if (this.#closed) return;
    if (this.#queuedLength + line.length > MAX_QUEUED_LENGTH) {
      this.#droppedLines += 1;
      return;
    }
    this.#lines.push(line);
    this.#queuedLength += line.length;
    const isReaderLate = this.#unwritten.length > 0;
    if (this.#queuedLength >= MIN_WRITE_LENGTH && !isReaderLate) this.#flushAndReschedule();
    else this.#schedule();
  }

  /** Writes the lines that the reader takes at once. Returns whether it has taken all. */
  flush(): boolean {
    while (this.#prepareBytes()) {
      try {
        const written = writeSync(this.#fd, this.#unwritten);
        this.#unwritten = this.#unwritten.subarray(written);
      } catch (error) {
        // EAGAIN: nobody reads at the moment. Any other error cannot be logged, because the log is here.
        this.#closed = CLOSED_CODES.includes((error as NodeJS.ErrnoException).code ?? '');
        return this.#closed;
      }
    }
    return true;
  }

  /** Writes the remaining lines before the process exits, and gives the reader a moment to take them. */
  flushBeforeExit(): void {
    const sleeper = new Int32Array(new SharedArrayBuffer(4));
    const end = performance.now() + EXIT_TIMEOUT_MS;
    while (!this.flush() && performance.now() < end) {
      Atomics.wait(sleeper, 0, 0, EXIT_POLL_INTERVAL_MS);
    }
  }

  #flushAndReschedule(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.flush()) this.#schedule();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => this.#flushAndReschedule(), FLUSH_INTERVAL_MS).unref();
  }

  /** Moves the next lines to `#unwritten` if it is empty. Returns whether there is anything to write. */
  #prepareBytes(): boolean {
    if (this.#closed) return false;
    if (this.#unwritten.length > 0) return true;
    if (this.#lines.length > 0) {
      this.#unwritten = Buffer.from(this.#lines.join(''));
      this.#lines = [];
      this.#queuedLength = 0;
    } else if (this.#droppedLines > 0) {
      this.#unwritten = Buffer.from(formatDropReport(this.#droppedLines));
      this.#droppedLines = 0;
    }
    return this.#unwritten.length > 0;
  }
}

/** Opens standard output for log lines. The remaining lines are written when the process exits. */
export function openStdout(): DestinationStream {
  const destination = new LogDestination(openNonBlockingStdout());
  process.once('exit', () => destination.flushBeforeExit());
  return destination;
}

function openNonBlockingStdout(): number {
  // Node makes a pipe or a socket non-blocking when `process.stdout` is first read, but not a terminal, which
  // stops reading at Ctrl+S.
  if (!isatty(1)) return process.stdout.fd;
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    return openSync('/dev/stdout', O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    // The terminal belongs to another user: it blocks, as for most programs.
    return 1;
  }
}

/** A line as pino writes it. */
function formatDropReport(droppedLines: number): string {
  const time = new Date().toISOString();
  const msg = 'log lines were dropped, because standard output was not read';
  return `${JSON.stringify({ level: 'warn', time, droppedLines, msg })}\n`;
}
