import type { Frame, Page } from 'playwright-core';
import type { Connection } from '../e2e/protocol-world.ts';

/** A call, or a message to the frame that sends each back. */
type MeasuredCall = { method: string; args: readonly unknown[] } | 'echo';

declare global {
  interface Window {
    benchConnection: Connection;
    benchEcho: () => Promise<unknown>;
  }
}

const REPEATS = 100;

/** What is measured, by name. Each call changes the state that the previous one has left, so that there is something to draw. */
const MEASURED: readonly [name: string, call: (index: number) => MeasuredCall][] = [
  ['a message to another frame and back', () => 'echo'],
  ['getCamera', () => ({ method: 'getCamera', args: [] })],
  ['getParts', () => ({ method: 'getParts', args: [] })],
  [
    'hideParts and showParts',
    (index) => ({ method: index % 2 ? 'showParts' : 'hideParts', args: [[0]] }),
  ],
  ['setVariant', (index) => ({ method: 'setVariant', args: [index % 2 ? null : 'Pink'] })],
  [
    'setCamera, without a movement',
    (index) => ({
      method: 'setCamera',
      args: [{ orbit: { theta: index / 100 } }, { durationMs: 0 }],
    }),
  ],
  ['setOptions', (index) => ({ method: 'setOptions', args: [{ exposure: 1 + (index % 2) }] })],
  ['seek', (index) => ({ method: 'seek', args: [(index % 10) / 10] })],
  ['a message to another frame and back, again', () => 'echo'],
];

/** Measures the calls, one at a time, each in a viewer that is idle. Returns the times in milliseconds, by what was measured. */
export async function measureCalls(
  page: Page,
  viewer: Frame,
  serviceOrigin: string,
): Promise<[name: string, times: number[]][]> {
  await page.evaluate(openChannels, serviceOrigin);
  const results: [string, number[]][] = [];
  for (const [name, createCall] of MEASURED) {
    const times: number[] = [];
    for (let index = 0; index < REPEATS; index++) {
      await viewer.evaluate(waitUntilIdle);
      times.push(await page.evaluate(timeCall, createCall(index)));
    }
    results.push([name, times]);
  }
  return results;
}

/** Connects to the viewer and to the frame that sends messages back. Runs in the page. */
async function openChannels(serviceOrigin: string): Promise<void> {
  const options = { timeoutMs: 60_000 };
  const viewer = document.querySelector('iframe');
  window.benchConnection = await window.connectProtocol1(viewer, serviceOrigin, options);
  await window.benchConnection.call('getParts');
  await window.benchConnection.call('pause');
  const { port1, port2 } = new MessageChannel();
  const echo = document.querySelector<HTMLIFrameElement>('#echo');
  echo?.contentWindow?.postMessage('', '*', [port2]);
  window.benchEcho = () =>
    new Promise((resolve) => {
      port1.onmessage = resolve;
      port1.postMessage({ type: 'call', id: 1, method: 'getCamera', args: [] });
    });
  await window.benchEcho();
}

/** Resolves when the previous change has been drawn and the thread has nothing to do. Runs in the viewer. */
function waitUntilIdle(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(() => resolve())));
  });
}

/** Returns the time from a call to its answer, in milliseconds. Runs in the page. */
async function timeCall(call: MeasuredCall): Promise<number> {
  const start = performance.now();
  if (call === 'echo') await window.benchEcho();
  else await window.benchConnection.call(call.method, ...call.args);
  return performance.now() - start;
}
