import type { Frame } from 'playwright-core';
import type { FrameRecorder } from './frame-recorder.ts';
import type { Network } from './network/network.ts';
import type { ByteCount } from './network/worker.ts';

/** A load is over when its pages report it and nothing was drawn or received for this time. */
const QUIET_MS = 2500;
const IDLE_LIMIT_MS = 1000;
const POLL_INTERVAL_MS = 250;

type QuietOptions = {
  /** The frames whose pages report that they are ready. */
  frames: readonly Frame[];
  recorder: FrameRecorder;
  network: Network;
  timeoutMs: number;
};

/**
 * Waits until nothing changes anymore. Returns the bytes received, with their times.
 *
 * @throws Error if a page fails, or is not ready after the time
 */
export async function waitUntilQuiet(options: QuietOptions): Promise<ByteCount[]> {
  const { frames, recorder, network, timeoutMs } = options;
  const counts: ByteCount[] = [];
  const deadline = Date.now() + timeoutMs;
  for (let ready = false; ; ) {
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    counts.push(...(await network.takeCounts()));
    ready ||= (await Promise.all(frames.map(isReady))).every(Boolean);
    const lastChangeAt = Math.max(recorder.lastChangeAt, counts.at(-1)?.at ?? 0);
    const isQuiet = ready && Date.now() - lastChangeAt > QUIET_MS;
    if (isQuiet && (await areIdle(frames)) && recorder.lastChangeAt <= lastChangeAt) return counts;
    if (Date.now() > deadline)
      throw new Error(`No ${ready ? 'final picture' : 'model'} after ${timeoutMs / 1000} s.`);
  }
}

/** Cloche and the pages in bench/peers report readiness in the same way. */
async function isReady(frame: Frame): Promise<boolean> {
  const state = await frame
    .evaluate(() => document.documentElement.dataset.state)
    // The document is replaced when the page in the iframe has arrived.
    .catch(() => undefined);
  if (state === 'failed' || state === 'refused') throw new Error(`The page ${state}.`);
  return state === 'ready';
}

/** Says whether the pages draw two frames at once. Otherwise a thread or the GPU is still busy. */
async function areIdle(frames: readonly Frame[]): Promise<boolean> {
  const start = Date.now();
  const drawTwice = () =>
    new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  await Promise.all(frames.map((frame) => frame.evaluate(drawTwice)));
  return Date.now() - start < IDLE_LIMIT_MS;
}
