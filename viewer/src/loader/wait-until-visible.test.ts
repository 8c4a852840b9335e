import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { waitUntilVisible } from './wait-until-visible.ts';

/** Starts to wait in a document that is hidden or not. Its observers are counted. */
function startWaiting(t: TestContext, { hidden }: { hidden: boolean }) {
  const document = Object.assign(new EventTarget(), { hidden });
  let onChange: (entries: object[]) => void = () => undefined;
  let observers = 0;
  class FakeObserver {
    constructor(listener: typeof onChange) {
      onChange = listener;
      observers += 1;
    }
    observe(): void {}
    disconnect(): void {
      observers -= 1;
    }
  }
  const original = globalThis.IntersectionObserver;
  Object.assign(globalThis, { IntersectionObserver: FakeObserver });
  t.after(() => Object.assign(globalThis, { IntersectionObserver: original }));
  const controller = new AbortController();
  let isResolved = false;
  const element = { ownerDocument: document } as never as Element;
  const waiting = waitUntilVisible(element, controller.signal).then(() => {
    isResolved = true;
  });
  waiting.catch(() => undefined);
  return {
    waiting,
    controller,
    countObservers: () => observers,
    isResolved: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return isResolved;
    },
    scroll: (inView: boolean) =>
      onChange([{ isIntersecting: inView, intersectionRatio: inView ? 1 : 0 }]),
    showTab(visible: boolean) {
      document.hidden = !visible;
      document.dispatchEvent(new Event('visibilitychange'));
    },
  };
}

it('resolves at once for an embed in view', async (t) => {
  const { scroll, isResolved, countObservers } = startWaiting(t, { hidden: false });
  scroll(true);
  assert.equal(await isResolved(), true);
  assert.equal(countObservers(), 0);
});

it('waits until the embed is scrolled into view', async (t) => {
  const { scroll, isResolved } = startWaiting(t, { hidden: false });
  scroll(false);
  assert.equal(await isResolved(), false);
  scroll(true);
  assert.equal(await isResolved(), true);
});

it('waits until the document is not hidden', async (t) => {
  const { scroll, showTab, isResolved } = startWaiting(t, { hidden: true });
  scroll(true);
  assert.equal(await isResolved(), false);
  showTab(true);
  assert.equal(await isResolved(), true);
});

it('rejects when it is aborted, and observes nothing after that', async (t) => {
  const { controller, waiting, countObservers } = startWaiting(t, { hidden: true });
  controller.abort(new Error('The viewer was closed.'));
  await assert.rejects(waiting, /The viewer was closed/);
  assert.equal(countObservers(), 0);
});
