import { postToHost } from './post-to-host.ts';
import type { SynQueue } from './receive-syns.ts';

/** Tells the host page that the viewer cannot run: now, and for each SYN until the viewer answers them after all. */
export function reportFailure(page: Window, code: string, queue: SynQueue | undefined): void {
  const report = () => postToHost(page, { cloche: 'failed', code });
  if (queue !== undefined) queue.onSyn = report;
  report();
}
