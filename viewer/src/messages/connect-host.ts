import type { Viewer } from '../viewer.ts';
import { HostChannel } from './host-channel.ts';
import type { SynQueue } from './receive-syns.ts';

/** A host page that has waited for so long is answered before the first frame. */
const MAX_FIRST_FRAME_WAIT_MS = 3000;

/**
 * Answers the host page. That does not compete with the first frame. A document that does not load its design, because
 * it is out of view or has failed, answers at once.
 */
export async function connectHost(
  viewer: Viewer,
  queue: SynQueue,
  inView: Promise<unknown>,
): Promise<void> {
  const isLoading = await Promise.race([inView.then(() => true), false]);
  if (isLoading && viewer.state === 'loading') {
    await new Promise<unknown>((resolve) => {
      viewer.on('statechange', resolve);
      setTimeout(resolve, MAX_FIRST_FRAME_WAIT_MS);
    });
  }
  const channel = new HostChannel(viewer as never, document, queue);
  window.addEventListener('pagehide', ({ persisted }) => persisted || channel[Symbol.dispose]());
}
