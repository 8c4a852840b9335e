import { isSyn, PROTOCOL_VERSIONS } from '@cloche/contract/message';
import { isOriginAllowed } from '@cloche/contract/origin';
import { postToHost } from './post-to-host.ts';

/** A SYN whose sender may control the viewer. */
export type ReceivedSyn = { versions: readonly unknown[]; port: MessagePort };

/** The SYNs that were received and not yet answered. */
export type SynQueue = {
  syns: ReceivedSyn[];
  /** Called after each SYN. */
  onSyn?: () => void;
};

/**
 * Receives the SYNs of the host page, and tells it that they are received. This is the only place that decides who may
 * connect: the parent of the document, on a listed origin, or on any if the owner shares the design. The pages around the parent
 * may not, even if they are listed.
 * The boot script contains this file.
 */
export function receiveSyns(page: Window, allowedOrigins: readonly string[] | 'any'): SynQueue {
  const queue: SynQueue = { syns: [] };
  page.addEventListener('message', ({ source, origin, data, ports }) => {
    const [port] = ports;
    if (source !== page.parent) return;
    if (allowedOrigins !== 'any' && !isOriginAllowed(allowedOrigins, origin)) return;
    if (ports.length !== 1 || port === undefined || !isSyn(data)) return;
    queue.syns.push({ versions: data.versions, port });
    queue.onSyn?.();
  });
  postToHost(page, { cloche: 'listening', versions: PROTOCOL_VERSIONS });
  return queue;
}

/** Tells the parent of the document that it does not show the design: now, and for each SYN. */
export function reportRefusal(page: Window, code: string): void {
  const report = () => postToHost(page, { cloche: 'refused', code });
  page.addEventListener('message', ({ source, data }) => {
    if (source === page.parent && isSyn(data)) report();
  });
  report();
}
