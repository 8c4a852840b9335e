import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import type { RequestHook } from './request-hook.ts';

export type { Logger };

/** Where log lines go. */
export type LogSink = { write(line: string): void };

// A token, or any run of characters long enough to hold what is random in one. The address of a
// blob (64 hexadecimal digits) is no secret.
const TOKEN_LIKE =
  /cloche(?:_|%5f)[ps]k(?:_|%5f)[0-9a-z]*|(?<![0-9a-z])(?![0-9a-f]{64}(?![0-9a-z]))[0-9a-z]{30,}/gi;

/** Takes everything that looks like a token out of a text. */
export function redactTokens(text: string): string {
  return text.replace(TOKEN_LIKE, '[token]');
}

const FLUSH_INTERVAL_MS = 100;
const MAX_BUFFER_LENGTH = 16 * 1024;

/**
 * A sink that writes to standard output. Lines are gathered for a tenth of a second: a write for each
 * would cost more than the answer it tells of.
 */
export function openStdoutSink(): LogSink & Disposable {
  let lines = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const text = lines;
    lines = '';
    if (text !== '') writeToStdout(text);
  };
  // Also the lines before an uncaught error.
  process.once('exit', flush);
  return {
    write: (line) => {
      lines += line;
      if (lines.length > MAX_BUFFER_LENGTH) flush();
      else timer ??= setTimeout(flush, FLUSH_INTERVAL_MS);
    },
    [Symbol.dispose]: () => {
      process.off('exit', flush);
      flush();
    },
  };
}

const WAIT_CELL = new Int32Array(new SharedArrayBuffer(4));

/** A full pipe takes a part, or nothing for a moment. */
function writeToStdout(text: string): void {
  let bytes = Buffer.from(text);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(1, bytes));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') return;
      if (code !== 'EAGAIN') throw error;
      // Whoever reads is slow: a moment for them, not a core for us.
      Atomics.wait(WAIT_CELL, 0, 0, 5);
    }
  }
}

/** Where lines go, and how much is told. */
export type LogOptions = { sink: LogSink; level: string };

/** The logger of all that is not a request answered; it tells no token. Silent when nothing is wished. */
export function createLogger(wish: LogOptions | undefined): Logger {
  const options = {
    level: wish?.level ?? 'silent',
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: { streamWrite: redactTokens },
  };
  return pino(options, wish?.sink ?? { write: () => {} });
}

/** The log levels at which each request leaves a line. */
const ACCESS_LOG_LEVELS = ['trace', 'debug', 'info'];

/**
 * Writes one line for each request when it is answered, or cut off: no query, no headers, no body. Put
 * together by hand: through the logger it cost 3 µs, a tenth of an answer.
 */
export function createAccessLogHook(wish: LogOptions | undefined): RequestHook {
  if (wish === undefined || !ACCESS_LOG_LEVELS.includes(wish.level)) return () => {};
  const { sink } = wish;
  const clock = new TimestampCache();
  const paths = new RedactedPathCache();
  return (request, { raw }) => {
    const start = performance.now();
    let told = false;
    const tell = (cut: boolean) => {
      if (told) return;
      told = true;
      const path = paths.getJson(request.url);
      const status = raw.headersSent ? raw.statusCode : null;
      const ms = Math.round((performance.now() - start) * 10) / 10;
      const end = cut ? ',"cut":true' : '';
      sink.write(
        `{"level":"info","time":"${clock.now()}","reqId":"${request.id}","method":"${request.method}","path":${path},"status":${status},"ms":${ms}${end},"msg":"request"}\n`,
      );
    };
    raw.on('finish', () => tell(false));
    raw.on('close', () => tell(true));
  };
}

/**
 * Tells of answers that were written to after their end. With nobody to hear of it, that would end the
 * process.
 */
export function createResponseErrorHook(log: Pick<Logger, 'error'>): RequestHook {
  const tell = (err: Error) => log.error({ err }, 'an answer was written to after its end');
  return (_request, { raw }) => {
    raw.on('error', tell);
  };
}

/** The time as it is written, made once for each millisecond. */
class TimestampCache {
  #ms = 0;
  #text = '';

  now(): string {
    const now = Date.now();
    if (now !== this.#ms) {
      this.#ms = now;
      this.#text = new Date(now).toISOString();
    }
    return this.#text;
  }
}

/** So many addresses, each so long at most, are looked through for tokens once. */
const MAX_CACHED_PATHS = 1000;
const MAX_CACHED_URL_LENGTH = 500;

/** The paths of addresses as they are written: as JSON, without a token. */
class RedactedPathCache {
  readonly #cache = new Map<string, string>();

  getJson(url: string): string {
    const end = url.indexOf('?');
    const path = end < 0 ? url : url.slice(0, end);
    const known = this.#cache.get(path);
    if (known !== undefined) return known;
    const text = JSON.stringify(redactPath(path));
    if (this.#cache.size >= MAX_CACHED_PATHS) this.#cache.clear();
    if (url.length <= MAX_CACHED_URL_LENGTH) this.#cache.set(path, text);
    return text;
  }
}

function redactPath(path: string): string {
  const plain = decodePercent(path);
  // Percent signs could hide a token from the search.
  const holdsToken = redactTokens(plain) !== plain;
  return redactTokens(holdsToken ? plain : path).slice(0, 200);
}

/** Undoes percent-encoding as often as it was done. */
function decodePercent(text: string): string {
  const once = text.replace(/%([2-7][0-9a-f])/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return once === text ? text : decodePercent(once);
}

/** Ids for requests: a random start for each process, then a number. */
export function createRequestIdGenerator(): () => string {
  const start = randomBytes(6).toString('base64url');
  let count = 0;
  return () => {
    count += 1;
    return `${start}-${count.toString(36)}`;
  };
}
