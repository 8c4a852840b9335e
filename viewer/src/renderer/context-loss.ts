/** Browsers that restore a lost context do so within this time. */
const RESTORE_TIMEOUT_MS = 4000;

type ContextLossCallbacks = {
  onLost: () => void;
  /** The context has not been restored in time. It may be restored later. */
  onTimeout: () => void;
  onRestored: () => void;
};

/**
 * Observes the loss of the WebGL context. three.js itself requests that the context is restored, and
 * uploads all data again.
 */
export function watchContextLoss(
  canvas: HTMLCanvasElement,
  { onLost, onTimeout, onRestored }: ContextLossCallbacks,
  signal: AbortSignal,
): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listen = (event: string, listener: () => void) =>
    canvas.addEventListener(event, listener, { signal });
  listen('webglcontextlost', () => {
    timer = setTimeout(onTimeout, RESTORE_TIMEOUT_MS);
    onLost();
  });
  listen('webglcontextrestored', () => {
    clearTimeout(timer);
    onRestored();
  });
  signal.addEventListener('abort', () => clearTimeout(timer));
}
