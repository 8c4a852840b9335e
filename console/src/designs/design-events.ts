import type { Design } from '@cloche/contract/design';
import type { DesignProgress } from './design-list.ts';

/** Receives what the event stream says about the designs of the user. */
export type DesignEventListener = {
  onDesign(design: Design): void;
  onProgress(progress: DesignProgress): void;
  onDeleted(id: string): void;
  /** The stream is open for the first time. Changes of what was read before may have been missed. */
  onOpen(): void;
  /** Changes may have been missed: what was read before must be read again. */
  onReset(): void;
};

const URL = '/v1/designs/events';
const MIN_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
/** Browsers allow six connections to a service over HTTP/1.1: hidden tabs must not use them all. */
const HIDDEN_CLOSE_MS = 30_000;

/**
 * Follows the changes of all designs of the user. After an interruption it connects again, and reports a reset. While the tab
 * is hidden it disconnects.
 *
 * @param onInterruption called when the stream ends, for example because the session has ended
 */
export function followDesigns(
  listener: DesignEventListener,
  onInterruption: () => void,
): Disposable {
  let source: EventSource | undefined;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let hiddenTimer: ReturnType<typeof setTimeout> | undefined;
  let retryMs = MIN_RETRY_MS;
  let wasOpen = false;

  const close = () => {
    clearTimeout(retryTimer);
    source?.close();
    source = undefined;
  };
  const open = () => {
    close();
    source = listen(listener, () => {
      if (wasOpen) listener.onReset();
      else listener.onOpen();
      wasOpen = true;
      retryMs = MIN_RETRY_MS;
    });
    source.addEventListener('error', () => {
      onInterruption();
      // Otherwise the browser connects again by itself. It does not after a response such as 503.
      if (source?.readyState !== EventSource.CLOSED) return;
      retryTimer = setTimeout(open, retryMs);
      retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
    });
  };
  const onVisibilityChange = () => {
    clearTimeout(hiddenTimer);
    if (document.hidden) hiddenTimer = setTimeout(close, HIDDEN_CLOSE_MS);
    else if (source === undefined) open();
  };
  document.addEventListener('visibilitychange', onVisibilityChange);
  open();
  return {
    [Symbol.dispose]: () => {
      document.removeEventListener('visibilitychange', onVisibilityChange);
      clearTimeout(hiddenTimer);
      close();
    },
  };
}

function listen(listener: DesignEventListener, onOpen: () => void): EventSource {
  const source = new EventSource(URL);
  const on = <T>(name: string, handle: (data: T) => void) =>
    source.addEventListener(name, ({ data }) => handle(JSON.parse(data)));
  source.addEventListener('open', onOpen);
  on<Design>('design', listener.onDesign);
  on<DesignProgress>('progress', listener.onProgress);
  on<{ id: string }>('deleted', ({ id }) => listener.onDeleted(id));
  on('reset', listener.onReset);
  return source;
}
