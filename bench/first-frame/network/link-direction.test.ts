import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Clock, LinkDirection } from './link-direction.ts';

const SEGMENT = 1460;

/** A clock that jumps from one timer to the next. */
class FakeClock implements Clock {
  #time = 0;
  #timers: { at: number; callback: () => void }[] = [];

  now = () => this.#time;

  setTimeout(callback: () => void, ms: number) {
    const timer = { at: this.#time + ms, callback };
    this.#timers.push(timer);
    return { clear: () => this.#remove(timer) };
  }

  run(): void {
    for (;;) {
      const [next] = this.#timers.toSorted((a, b) => a.at - b.at);
      if (next === undefined) return;
      this.#remove(next);
      this.#time = Math.max(this.#time, next.at);
      next.callback();
    }
  }

  #remove(timer: { at: number; callback: () => void }) {
    this.#timers = this.#timers.filter((other) => other !== timer);
  }
}

type Delivery = { name: string; at: number; bytes: number };

function setUp(bitsPerSecond: number, roundTripMs: number) {
  const clock = new FakeClock();
  const profile = { name: 'test', label: 'test', bitsPerSecond, roundTripMs };
  const link = new LinkDirection(profile, clock);
  const deliveries: Delivery[] = [];
  const openFlow = (name: string) =>
    link.openFlow((bytes) => deliveries.push({ name, at: clock.now(), bytes: bytes.byteLength }));
  const send = (flow: ReturnType<typeof openFlow>, bytes: number) =>
    link.send(flow, Buffer.alloc(bytes), () => {});
  const sumBytes = (name: string, until = Number.POSITIVE_INFINITY) =>
    deliveries
      .filter((delivery) => delivery.name === name && delivery.at <= until)
      .reduce((total, { bytes }) => total + bytes, 0);
  return { clock, link, deliveries, openFlow, send, sumBytes };
}

describe('a link', () => {
  it('delivers at its rate, after half a round trip', () => {
    // One segment takes a millisecond.
    const { clock, deliveries, openFlow, send } = setUp(SEGMENT * 8 * 1000, 40);
    send(openFlow('a'), 3 * SEGMENT);
    clock.run();
    assert.deepEqual(
      deliveries.map(({ at }) => Math.round(at)),
      [21, 22, 23],
    );
  });

  it('begins with ten segments, and doubles that with each round trip', () => {
    const { clock, openFlow, send, sumBytes } = setUp(1e12, 100);
    send(openFlow('a'), 200 * SEGMENT);
    clock.run();
    const counts = [60, 160, 260, 360, 460].map((time) => sumBytes('a', time) / SEGMENT);
    assert.deepEqual(counts, [10, 30, 70, 150, 200]);
  });

  it('is shared fairly by its connections', () => {
    const { clock, deliveries, openFlow, send, sumBytes } = setUp(SEGMENT * 8 * 1000, 0);
    const [large, small] = [openFlow('large'), openFlow('small')];
    send(large, 1000 * SEGMENT);
    send(small, 10 * SEGMENT);
    clock.run();
    const smallEnd = deliveries.findLast(({ name }) => name === 'small')?.at ?? 0;
    assert.ok(Math.abs(sumBytes('large', smallEnd) / SEGMENT - 10) <= 1);
    assert.equal(sumBytes('large'), 1000 * SEGMENT);
  });

  it('delivers nothing of a closed connection that waits, and goes on with the others', () => {
    const { clock, link, openFlow, send, sumBytes } = setUp(SEGMENT * 8 * 1000, 0);
    const [closed, open] = [openFlow('closed'), openFlow('open')];
    send(closed, 100 * SEGMENT);
    send(open, 5 * SEGMENT);
    link.closeFlow(closed);
    clock.run();
    assert.ok(sumBytes('closed') <= 2 * SEGMENT);
    assert.equal(sumBytes('open'), 5 * SEGMENT);
  });

  it('without a rate and a delay, delivers at once', () => {
    const { deliveries, openFlow, send } = setUp(Number.POSITIVE_INFINITY, 0);
    send(openFlow('a'), 1000 * SEGMENT);
    assert.deepEqual(deliveries, [{ name: 'a', at: 0, bytes: 1000 * SEGMENT }]);
  });
});
