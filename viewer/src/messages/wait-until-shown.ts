import { ViewerProblem } from '@cloche/contract/viewer-problem';
import type { Viewer } from '../viewer.ts';
import { describeViewerError } from './describe-error.ts';
import type { Requirement } from './host-methods.ts';

type ObservedViewer = Pick<Viewer, 'state' | 'error' | 'on'>;

/** Says whether the viewer shows what a method requires. */
export function isShown({ state }: ObservedViewer, requirement: Requirement): boolean {
  if (requirement === 'nothing' || state === 'ready') return true;
  return requirement === 'frame' && state === 'preview';
}

/**
 * Resolves when the viewer shows what a method requires. When the signal is aborted before, it stays pending.
 *
 * @throws {ViewerProblem} viewer.not-ready, if the viewer has failed to show it
 */
export async function waitUntilShown(
  viewer: ObservedViewer,
  requirement: Requirement,
  signal: AbortSignal,
): Promise<void> {
  if (isShown(viewer, requirement)) return;
  assertNotFailed(viewer);
  await new Promise<void>((resolve) => {
    const listeners = (['statechange', 'error'] as const).map((event) =>
      viewer.on(event, () => {
        if (isShown(viewer, requirement) || viewer.error !== undefined) resolve();
      }),
    );
    const stop = () => {
      for (const listener of listeners) listener[Symbol.dispose]();
    };
    signal.addEventListener('abort', stop, { once: true });
  });
  if (!isShown(viewer, requirement)) assertNotFailed(viewer);
}

function assertNotFailed({ error }: ObservedViewer): void {
  if (error === undefined) return;
  const { code, message } = describeViewerError(error);
  throw new ViewerProblem('viewer.not-ready', `${code}: ${message}`);
}
