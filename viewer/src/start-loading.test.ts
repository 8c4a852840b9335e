import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { startLoading } from './start-loading.ts';

/** Starts to load with the default option. Requests never end. */
function setUp(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let report: (entries: object[]) => void = () => undefined;
  class FakeObserver {
    constructor(listener: typeof report) {
      report = listener;
    }
    observe(): void {}
    disconnect(): void {
      report = () => undefined;
    }
  }
  const original = globalThis.IntersectionObserver;
  Object.assign(globalThis, { IntersectionObserver: FakeObserver });
  t.after(() => Object.assign(globalThis, { IntersectionObserver: original }));
  const signals: AbortSignal[] = [];
  const { load } = startLoading({} as Element, undefined, (signal) => {
    signals.push(signal);
    return new Promise(() => undefined);
  });
  return {
    load,
    setInView: (inView: boolean, intersectionRatio = inView ? 1 : 0) =>
      report([{ isIntersecting: inView, intersectionRatio }]),
    /** Whether each request was aborted. */
    listAborted: () => signals.map(({ aborted }) => aborted),
  };
}

it('requests the file once if the document is in view at once', (t) => {
  const { setInView, listAborted } = setUp(t);
  setInView(true);
  t.mock.timers.tick(1000);
  assert.deepEqual(listAborted(), [false]);
});

it('keeps the request if the document is out of view for some milliseconds only', (t) => {
  const { setInView, listAborted } = setUp(t);
  setInView(false);
  setInView(true, 0);
  t.mock.timers.tick(20);
  setInView(true);
  t.mock.timers.tick(1000);
  assert.deepEqual(listAborted(), [false]);
});

it('aborts the request out of view, and starts it again in view', (t) => {
  const { setInView, listAborted } = setUp(t);
  setInView(false);
  t.mock.timers.tick(1000);
  assert.deepEqual(listAborted(), [true]);
  setInView(true);
  t.mock.timers.tick(1000);
  assert.deepEqual(listAborted(), [true, false]);
});

it('keeps the request of a document out of view that is loaded by its page', (t) => {
  const { setInView, load, listAborted } = setUp(t);
  setInView(false);
  load();
  t.mock.timers.tick(1000);
  assert.deepEqual(listAborted(), [false]);
});
