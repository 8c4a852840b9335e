import type { Segment, SegmentWriter } from './upload-segments.ts';

type ReceiveOptions = {
  /** Bytes that are not stored yet are stored after so many of them, and after so much time. */
  flushAfter: { bytes: number; ms: number };
  /** Called with what was stored: from now on, the client does not send it again. */
  acknowledge(segment: Segment): Promise<void>;
};

/**
 * Reads bytes to the end, and stores and acknowledges them in steps. If the source fails, the bytes read so far are
 * stored as well.
 */
export async function receiveBytes(
  bytes: AsyncIterable<Uint8Array>,
  writer: SegmentWriter,
  { flushAfter, acknowledge }: ReceiveOptions,
): Promise<void> {
  let unstoredBytes = 0;
  /** The operations of the writer run one after the other. */
  let queue: Promise<void> = Promise.resolve();
  let failure: { error: unknown } | undefined;
  const run = (operation: () => Promise<void>): Promise<void> => {
    queue = queue.then(async () => {
      if (failure !== undefined) return;
      await operation().catch((error: unknown) => {
        failure = { error };
      });
    });
    return queue;
  };
  const flush = () =>
    run(async () => {
      unstoredBytes = 0;
      const segment = await writer.flush();
      if (segment !== undefined) await acknowledge(segment);
    });
  const throwFailure = () => {
    if (failure !== undefined) throw failure.error;
  };
  const timer = setInterval(flush, flushAfter.ms).unref();
  try {
    for await (const chunk of bytes) {
      await run(() => writer.append(chunk));
      unstoredBytes += chunk.length;
      if (unstoredBytes >= flushAfter.bytes) await flush();
      throwFailure();
    }
  } finally {
    clearInterval(timer);
    await flush();
  }
  throwFailure();
}
