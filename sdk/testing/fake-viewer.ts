/**
 * A page that speaks the viewer's side of the protocol and does nothing else, so that tests control what it sends and
 * when. It is sent as text: it uses nothing from outside the function. The real viewer has tests in e2e/.
 */
export type FakeViewer = {
  /** The calls that were received, `method(argument, …)`. */
  calls: string[];
  synCount: number;
  ackCount: number;
  /** Sends a message on the port. */
  send(message: object): void;
  /** Answers later calls only when `send` does. */
  silent: boolean;
};

declare global {
  interface Window {
    viewer: FakeViewer;
  }
}

/** The parameters are those of the URL of the page. */
export function runFakeViewer(): void {
  const parameters = new URLSearchParams(location.search);
  let port: MessagePort | undefined;
  const viewer: FakeViewer = {
    calls: [],
    synCount: 0,
    ackCount: 0,
    silent: false,
    send: (message) => port?.postMessage(message),
  };
  window.viewer = viewer;

  function onCall({ id, method, args }: { id: number; method: string; args: unknown[] }): void {
    viewer.calls.push(`${method}(${args.map((argument) => JSON.stringify(argument)).join(', ')})`);
    if (viewer.silent) return;
    if (method === 'setVariant' && args[0] === 'None')
      viewer.send({ type: 'error', id, code: 'viewer.unknown-variant', message: 'No variant.' });
    else viewer.send({ type: 'result', id, value: method === 'getVariants' ? ['Oak'] : undefined });
  }

  function onSyn(next: MessagePort): void {
    viewer.synCount++;
    viewer.send({ type: 'rst', reason: 'replaced' });
    port?.close();
    port = next;
    port.onmessage = ({ data }) => {
      if (data.type === 'ack') viewer.ackCount++;
      if (data.type === 'call') onCall(data);
    };
    if (parameters.has('version')) {
      viewer.send({ type: 'rst', reason: 'version', versions: [9] });
      return;
    }
    const methods = ['getVariants', 'setVariant', 'setOptions', 'play', 'exitFullscreen', 'newer'];
    const state = {
      state: parameters.get('state') ?? 'loading',
      modelVisible: parameters.has('visible'),
    };
    viewer.send({ type: 'syn-ack', version: 1, methods, events: ['load', 'pick'], state });
  }

  function listen(): void {
    addEventListener('message', ({ source, data, ports: [next] }) => {
      if (source === parent && data?.cloche === 'syn' && next) onSyn(next);
    });
    parent.postMessage({ cloche: 'listening', versions: [1] }, '*');
  }

  const refused = parameters.get('refused');
  if (refused !== null) parent.postMessage({ cloche: 'refused', code: refused }, '*');
  else if (parameters.has('late')) addEventListener('load', () => setTimeout(listen));
  else if (!parameters.has('mute')) listen();
  if (!parameters.has('crash'))
    addEventListener('pagehide', () => viewer.send({ type: 'rst', reason: 'closed' }));
}
