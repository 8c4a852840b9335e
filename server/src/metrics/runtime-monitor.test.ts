import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { RuntimeMonitor } from './runtime-monitor.ts';

test('measures how long the event loop was blocked, and the garbage collection', async () => {
  using monitor = new RuntimeMonitor();
  let longestMs = 0;
  let garbageCollectionMs = 0;
  await waitUntil('the delay and the garbage collection', async () => {
    // Between two timers of the monitor, so that the second one is late.
    await delay(60);
    block(200);
    await delay(60);
    const use = await monitor.take();
    longestMs = Math.max(longestMs, use.eventLoop.longestMs);
    garbageCollectionMs += use.garbageCollectionMs;
    return longestMs > 100 && garbageCollectionMs > 0;
  });
});

/** Uses the processor and memory. */
function block(durationMs: number): void {
  const end = performance.now() + durationMs;
  let garbage: object[] = [];
  while (performance.now() < end) {
    garbage = Array.from({ length: 10_000 }, (_, index) => ({ index, former: garbage.length }));
  }
}
