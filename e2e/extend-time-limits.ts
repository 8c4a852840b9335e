/**
 * Runs in each document of a page: the time limits of the SDK and the viewer, from 10 s on, are six times as long. A test of
 * something else must not reach them on a slow machine.
 */
export function extendTimeLimits(): void {
  const { setTimeout } = window;
  window.setTimeout = ((handler: () => void, ms = 0, ...args: unknown[]) =>
    setTimeout(handler, ms >= 10_000 ? ms * 6 : ms, ...args)) as never;
}
