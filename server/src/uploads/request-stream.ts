import type { Readable } from 'node:stream';
import { Problem } from '@cloche/contract/problem';

/** The body of a request as the protocol reads it. */
export type RequestStream = {
  stream: ReadableStream<Uint8Array>;
  /** What broke it, if something did: the protocol does not pass that on. */
  findProblem(): Problem | undefined;
  /** To be called at the end, however it came: what is not read by then is let go. */
  close(): void;
};

/**
 * Reads a body no faster than it is taken, and gives up when nothing comes for `stallMs`. Never destroys
 * the request: the answer still has to travel over its connection.
 */
export function openRequestStream(raw: Readable, stallMs: number): RequestStream {
  let failure: Problem | undefined;
  let stall: NodeJS.Timeout | undefined;
  let controller: ReadableStreamDefaultController<Uint8Array>;

  function pause() {
    clearTimeout(stall);
    raw.pause();
  }
  function take(chunk: Buffer) {
    pause();
    controller.enqueue(chunk);
  }
  function end() {
    close();
    controller.close();
  }
  function fail(problem: Problem) {
    close();
    failure = problem;
    controller.error(problem);
  }
  const breakOff = (cause?: Error) =>
    fail(new Problem('request.malformed', { detail: INTERRUPTED_DETAIL, cause }));
  const giveUp = () => fail(new Problem('request.timeout', { detail: formatStallDetail(stallMs) }));

  function close() {
    clearTimeout(stall);
    raw.off('data', take).off('end', end).off('error', breakOff).off('close', breakOff);
    // Without a listener, an error would be the service's own.
    raw.on('error', () => {});
    raw.resume();
  }

  const stream = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
      raw.on('data', take).on('end', end).on('error', breakOff).on('close', breakOff);
      pause();
    },
    pull() {
      clearTimeout(stall);
      stall = setTimeout(giveUp, stallMs);
      raw.resume();
    },
    cancel: () => close(),
  });
  return { stream, findProblem: () => failure, close };
}

const INTERRUPTED_DETAIL =
  'The connection broke off. What came is kept: ask with HEAD how far, and go on.';
const formatStallDetail = (ms: number) =>
  `Nothing came for ${ms / 1000} s, so this request was given up. What came is kept: ask with HEAD how far, and go on.`;
