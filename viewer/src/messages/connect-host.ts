import type { Viewer } from '../viewer.ts';
import type { SynQueue } from './receive-syns.ts';
import { reportFailure } from './report-failure.ts';

/** A host page that has waited for so long is answered before the first frame. */
const MAX_FIRST_FRAME_WAIT_MS = 3000;

/**
 * When the host page has sent a SYN, loads the script that answers it. That does not compete with the first frame. A document
 * that does not load its design, because it is out of view or has failed, answers at once.
 */
export async function connectHost(
  viewer: Viewer,
  queue: SynQueue,
  inView: Promise<unknown>,
): Promise<void> {
  let isLoading = false;
  void inView.then(() => {
    isLoading = true;
  });
  await new Promise<void>((resolve) => {
    queue.onSyn = resolve;
    if (queue.syns.length > 0) resolve();
  });
  if (isLoading && viewer.state === 'loading') {
    await new Promise<unknown>((resolve) => {
      viewer.on('statechange', resolve);
      setTimeout(resolve, MAX_FIRST_FRAME_WAIT_MS);
    });
  }
  try {
    const { HostChannel } = await import('./host-channel.ts');
    const channel = new HostChannel(viewer as never, document, queue);
    window.addEventListener('pagehide', ({ persisted }) => persisted || channel[Symbol.dispose]());
  } catch {
    // The visitor sees the design all the same.
    reportFailure(window, 'viewer.script', queue);
  }
}
