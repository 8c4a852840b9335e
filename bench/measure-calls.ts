import type {} from '../e2e/protocol-world.ts';

/** Runs in the page of call-latency.ts. Returns the times in milliseconds, by what was measured. */
export async function measureCalls(
  serviceOrigin: string,
): Promise<[name: string, times: number[]][]> {
  const CALLS = 500;
  const CHANGES = 50;
  const connection = await window.connectProtocol1(
    document.querySelector('iframe'),
    serviceOrigin,
    { timeoutMs: 60_000 },
  );
  await connection.call('getParts');
  await connection.call('pause');

  const measure = async (count: number, call: (index: number) => Promise<unknown>) => {
    const times: number[] = [];
    for (let index = 0; index < count; index++) {
      // The viewer has drawn the previous change, and is idle.
      if (count === CHANGES) await new Promise(requestAnimationFrame);
      await connection.call('getVariant');
      await new Promise((resolve) => setTimeout(resolve));
      const start = performance.now();
      await call(index);
      times.push(performance.now() - start);
    }
    return times;
  };

  const { port1, port2 } = new MessageChannel();
  document.querySelector<HTMLIFrameElement>('#echo')?.contentWindow?.postMessage('', '*', [port2]);
  const echo = () =>
    new Promise((resolve) => {
      port1.onmessage = resolve;
      port1.postMessage({ type: 'call', id: 1, method: 'getCamera', args: [] });
    });
  await echo();

  return [
    ['a message to another frame and back', await measure(CALLS, echo)],
    ['getCamera', await measure(CALLS, () => connection.call('getCamera'))],
    ['getParts', await measure(CALLS, () => connection.call('getParts'))],
    [
      'hideParts and showParts',
      await measure(CHANGES, (index) =>
        connection.call(index % 2 ? 'showParts' : 'hideParts', [0]),
      ),
    ],
    [
      'setVariant',
      await measure(CHANGES, (index) => connection.call('setVariant', index % 2 ? 'Pink' : null)),
    ],
    [
      'setCamera, without a movement',
      await measure(CHANGES, (index) =>
        connection.call('setCamera', { orbit: { theta: index / 100 } }, { durationMs: 0 }),
      ),
    ],
    ['a message to another frame and back, again', await measure(CALLS, echo)],
  ];
}
