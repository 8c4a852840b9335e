import { METHOD_NAMES } from '@cloche/contract/message';
import type { ViewerOptions } from '@cloche/contract/viewer-options';
import type { ClocheError } from './sdk-error.ts';
import { ViewerConnection } from './viewer-connection.ts';
import type { ViewerCalls, ViewerHandle, ViewerListener } from './viewer-handle.ts';

/** The connection of each iframe. An iframe has one: a new handle replaces the previous one. */
const connections = new WeakMap<HTMLIFrameElement, ViewerConnection>();

/** The codes of options that the viewer does not accept. */
const REJECTION = /^viewer\.(invalid|unknown)/;

export type ControlOptions = {
  /** Options that the URL of the iframe does not contain. Later changes are added to it. */
  options?: ViewerOptions;
  timeoutMs?: number | undefined;
  /** Whether `destroy` removes the iframe. */
  removable?: boolean;
};

/** Connects to the viewer in an iframe. */
export function controlIframe(
  iframe: HTMLIFrameElement,
  { options: changes = {}, timeoutMs, removable = false }: ControlOptions,
): ViewerHandle {
  connections.get(iframe)?.close();
  const listeners = new Map<string, Set<ViewerListener<never>>>();
  const connection = new ViewerConnection(iframe, {
    timeoutMs,
    onEvent(name, detail) {
      for (const listener of [...(listeners.get(name) ?? [])]) callListener(listener, detail);
    },
    // A document that loads itself again gets them again.
    onConnect() {
      if (Object.keys(changes).length > 0) setOptions(changes).catch(console.warn);
    },
  });
  connections.set(iframe, connection);

  const call = (method: string, ...args: unknown[]) => connection.call(method, args);
  async function setOptions(next: Parameters<ViewerHandle['setOptions']>[0]): Promise<void> {
    try {
      await call('setOptions', next);
    } catch (error) {
      // Without a viewer, for example in a lazy iframe, the next document gets them.
      if (!REJECTION.test((error as ClocheError).code)) Object.assign(changes, next);
      throw error;
    }
    Object.assign(changes, next);
  }
  const calls = METHOD_NAMES.map((name) => [name, (...args: unknown[]) => call(name, ...args)]);

  const viewer: ViewerHandle = {
    ...(Object.fromEntries(calls) as ViewerCalls),
    iframe,
    get ready() {
      return connection.ready.then(() => viewer);
    },
    setOptions,
    on(name, listener) {
      listeners.set(name, (listeners.get(name) ?? new Set()).add(listener));
      return () => viewer.off(name, listener);
    },
    off(name, listener) {
      listeners.get(name)?.delete(listener);
    },
    call,
    enterFullscreen: () => iframe.requestFullscreen(),
    async exitFullscreen() {
      const root = iframe.getRootNode() as Document | ShadowRoot;
      // Full screen that the page has started is not known to the viewer.
      if (root.fullscreenElement === iframe) await iframe.ownerDocument.exitFullscreen();
      else await call('exitFullscreen');
    },
    destroy() {
      connection.close();
      listeners.clear();
      if (removable) iframe.remove();
    },
  };
  return viewer;
}

/** An error in one listener must not keep the others from being called. */
function callListener(listener: (detail: never) => void, detail: unknown): void {
  try {
    listener(detail as never);
  } catch (error) {
    reportError(error);
  }
}
