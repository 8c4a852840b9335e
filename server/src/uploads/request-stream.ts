import type { Readable } from 'node:stream';
import { Problem } from '@cloche/contract/problem';

/** A request body as a web stream. */
export type RequestStream = {
  stream: ReadableStream<Uint8Array>;
  /** Returns the problem that ended the stream. @tus/server does not report it. */
  findProblem(): Problem | undefined;
  /** Must be called after the request. Discards the rest of the body. */
  close(): void;
};

/**
 * Converts a request body to a web stream with backpressure. The stream fails with the reason of `signal`, a
 * problem, when it aborts. Never destroys the request: the response is sent over the same connection.
 * `onChunk` receives the bytes too.
 */
export function openRequestStream(
  raw: Readable,
  signal: AbortSignal,
  onChunk?: (chunk: Buffer) => void,
): RequestStream {
  let problem: Problem | undefined;
  let controller: ReadableStreamDefaultController<Uint8Array>;

  function onData(chunk: Buffer) {
    raw.pause();
    onChunk?.(chunk);
    controller.enqueue(chunk);
  }
  function onEnd() {
    close();
    controller.close();
  }
  function fail(error: Problem) {
    close();
    problem = error;
    controller.error(error);
  }
  const onInterrupted = (cause?: Error) =>
    fail(new Problem('request.malformed', { detail: INTERRUPTED_DETAIL, cause }));
  const onAbort = () => fail(signal.reason as Problem);

  function close() {
    signal.removeEventListener('abort', onAbort);
    raw
      .off('data', onData)
      .off('end', onEnd)
      .off('error', onInterrupted)
      .off('close', onInterrupted);
    // An 'error' event without a listener would crash the process.
    raw.on('error', () => {});
    raw.resume();
  }

  const stream = new ReadableStream<Uint8Array>({
    start(streamController) {
      controller = streamController;
      raw.on('data', onData).on('end', onEnd).on('error', onInterrupted).on('close', onInterrupted);
      raw.pause();
      signal.addEventListener('abort', onAbort);
    },
    pull() {
      raw.resume();
    },
    cancel: () => close(),
  });
  return { stream, findProblem: () => problem, close };
}

/** Advice for a request that ended early. */
export const RESUME_DETAIL =
  'The bytes received are stored: send HEAD for the offset and continue.';
const INTERRUPTED_DETAIL = `The connection was interrupted. ${RESUME_DETAIL}`;
