import type { WindowMessage } from '@cloche/contract/message';

/** To any origin: these messages contain nothing that is secret. */
export function postToHost({ parent }: Window, message: WindowMessage): void {
  parent.postMessage(message, '*');
}
