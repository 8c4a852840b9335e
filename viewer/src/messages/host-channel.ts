import { PROTOCOL_VERSIONS, type ProtocolVersion, type Rst } from '@cloche/contract/message';
import { type ConnectedViewer, HostConnection } from './host-connection.ts';
import type { ReceivedSyn, SynQueue } from './receive-syns.ts';

/**
 * Answers the SYNs of the host page. There is one connection at a time: each SYN replaces it.
 *
 * This folder is a script of its own, which only embeds with a host page load.
 */
export class HostChannel implements Disposable {
  readonly #viewer: ConnectedViewer;
  readonly #document: Document;
  readonly #queue: SynQueue;
  #connection: HostConnection | undefined;

  constructor(viewer: ConnectedViewer, document: Document, queue: SynQueue) {
    this.#viewer = viewer;
    this.#document = document;
    this.#queue = queue;
    queue.onSyn = () => this.#acceptAll();
    this.#acceptAll();
  }

  /** Tells the host page that the document ends. */
  [Symbol.dispose](): void {
    delete this.#queue.onSyn;
    this.#connection?.reset('closed');
  }

  #acceptAll(): void {
    for (const syn of this.#queue.syns.splice(0)) this.#accept(syn);
  }

  #accept({ versions, port }: ReceivedSyn): void {
    const version = chooseVersion(versions);
    if (version === undefined) {
      const rst: Rst = { type: 'rst', reason: 'version', versions: PROTOCOL_VERSIONS };
      port.postMessage(rst);
      port.close();
      return;
    }
    this.#connection?.reset('replaced');
    this.#connection = new HostConnection(this.#viewer, this.#document, { port, version });
  }
}

/** The newest version that both have. */
function chooseVersion(versions: readonly unknown[]): ProtocolVersion | undefined {
  return PROTOCOL_VERSIONS.findLast((version) => versions.includes(version));
}
