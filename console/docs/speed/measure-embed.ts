/** What an iframe of this service did while it loaded. Times are milliseconds from its insertion. */
export type EmbedTimings = {
  /** Undefined: the design has no poster. */
  posterMs: number | undefined;
  first3dMs: number;
  fullMs: number;
  /** Received, without what was in the cache. */
  bytes: number;
  /** Undefined: the browser does not report long tasks. */
  blockingMs: number | undefined;
  /** Milliseconds between the frames of a rotation. */
  frameTimes: readonly number[];
};

const LOAD_TIMEOUT_MS = 120_000;
const ROTATION_MS = 3000;
/** Below this, keys are pressed before the camera rests: it does not stop between them. */
const KEY_INTERVAL_MS = 100;
const LONG_TASK_MS = 50;

/**
 * Loads a framed document of this service into an element, then rotates the design for three seconds.
 *
 * @throws Error with a text for the reader, if the design is not shown
 */
export async function measureEmbed(
  container: HTMLElement,
  src: string,
  onProgress: (text: string) => void,
): Promise<EmbedTimings> {
  const frame = document.createElement('iframe');
  Object.assign(frame, { title: 'The measured design', referrerPolicy: 'strict-origin' });
  const start = performance.timeOrigin + performance.now();
  frame.src = src;
  onProgress('Loading …');
  container.replaceChildren(frame);
  // Out of view, a framed document loads nothing but its poster.
  frame.scrollIntoView({ block: 'center' });
  const page = await waitUntilReady(frame);
  const blockingMs = await readBlockingTime(page);
  onProgress('Rotating …');
  const frameTimes = await rotate(page);
  const sinceStart = (name: string) => {
    const mark = page.performance.getEntriesByName(name).at(-1);
    return mark && page.performance.timeOrigin + mark.startTime - start;
  };
  const first3dMs = sinceStart('cloche-first-frame') ?? Number.NaN;
  return {
    posterMs: sinceStart('cloche-poster'),
    first3dMs,
    fullMs: sinceStart('cloche-model-frame') ?? first3dMs,
    bytes: countBytes(page),
    blockingMs,
    frameTimes,
  };
}

/** Waits until the design is shown and can be rotated with keys. */
async function waitUntilReady(frame: HTMLIFrameElement): Promise<Window & typeof globalThis> {
  const deadline = performance.now() + LOAD_TIMEOUT_MS;
  for (;;) {
    await nextFrame(window);
    const page = frame.contentWindow as (Window & typeof globalThis) | null;
    // While the browser replaces the document, it has no root element.
    const root = frame.contentDocument?.documentElement as HTMLElement | null | undefined;
    const state = root?.dataset.state;
    if (page === null || state === 'failed' || state === 'refused' || isErrorPage(frame)) {
      throw new Error('The design is not shown; the frame says why.');
    }
    if (state === 'ready' && findView(page)?.tabIndex === 0) return page;
    if (performance.now() > deadline) throw new Error('The design was not ready in two minutes.');
  }
}

/** The error page of the service has no canvas. */
function isErrorPage({ contentDocument }: HTMLIFrameElement): boolean {
  return (
    contentDocument?.readyState === 'complete' &&
    contentDocument.URL !== 'about:blank' &&
    contentDocument.querySelector('canvas') === null
  );
}

const findView = (page: Window) => page.document.getElementById('view');

/** Presses an arrow key again and again; returns the time between the frames. */
async function rotate(page: Window & typeof globalThis): Promise<number[]> {
  const pressKey = () =>
    findView(page)?.dispatchEvent(
      new page.KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true, cancelable: true }),
    );
  const timer = setInterval(pressKey, KEY_INTERVAL_MS);
  const times: number[] = [];
  pressKey();
  const start = await nextFrame(page);
  for (let last = start; last - start < ROTATION_MS; ) {
    const time = await nextFrame(page);
    times.push(time - last);
    last = time;
  }
  clearInterval(timer);
  return times;
}

function countBytes({ performance }: Window): number {
  const entries = [
    ...performance.getEntriesByType('navigation'),
    ...performance.getEntriesByType('resource'),
  ] as PerformanceResourceTiming[];
  return entries.reduce((total, { transferSize }) => total + transferSize, 0);
}

/** Total Blocking Time of the document: of each task, what exceeds 50 ms. */
async function readBlockingTime(page: Window & typeof globalThis): Promise<number | undefined> {
  if (!page.PerformanceObserver.supportedEntryTypes.includes('longtask')) return undefined;
  let total = 0;
  const observer = new page.PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) total += duration - LONG_TASK_MS;
  });
  observer.observe({ type: 'longtask', buffered: true });
  await nextFrame(page);
  await nextFrame(page);
  observer.disconnect();
  return total;
}

const nextFrame = (page: Window) =>
  new Promise<number>((resolve) => page.requestAnimationFrame(resolve));
