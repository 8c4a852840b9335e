import {
  EVENT_NAMES,
  type HostMessage,
  METHOD_NAMES,
  type ProtocolVersion,
  type Rst,
  type ViewerMessage,
  type ViewerStatus,
} from '@cloche/contract/message';
import type { Viewer } from '../viewer.ts';
import { type CallableViewer, CallDispatcher } from './call-dispatcher.ts';
import { describeViewerError } from './describe-error.ts';
import { forwardEvents, isModelVisible } from './host-events.ts';

/** The part of the facade that a connection uses. */
export type ConnectedViewer = CallableViewer & Pick<Viewer, 'on' | 'state' | 'error'>;

/**
 * One connection with the host page, on the port of its SYN. As in TCP, it is established by the ACK: calls before it are
 * ignored, and no event is sent.
 */
export class HostConnection {
  readonly #viewer: ConnectedViewer;
  readonly #document: Document;
  readonly #port: MessagePort;
  readonly #dispatcher: CallDispatcher;
  readonly #events: Disposable;
  /** The latest event of each kind before the ACK; undefined after it. */
  #earlyEvents: Map<string, ViewerMessage> | undefined = new Map();
  #closed = false;

  /** Answers the SYN with a SYN-ACK. */
  constructor(
    viewer: ConnectedViewer,
    document: Document,
    { port, version }: { port: MessagePort; version: ProtocolVersion },
  ) {
    this.#viewer = viewer;
    this.#document = document;
    this.#port = port;
    this.#events = forwardEvents(viewer, document, (event) => {
      if (this.#earlyEvents === undefined) this.#send(event);
      else this.#earlyEvents.set(event.name, event);
    });
    this.#dispatcher = new CallDispatcher(viewer, (answer) => this.#send(answer));
    port.onmessage = ({ data }: MessageEvent<unknown>) => this.#receive(data);
    this.#send({
      type: 'syn-ack',
      version,
      methods: METHOD_NAMES,
      events: EVENT_NAMES,
      state: this.#getStatus(),
    });
  }

  /** Tells the host page that the connection has ended. */
  reset(reason: Rst['reason']): void {
    if (this.#closed) return;
    this.#send({ type: 'rst', reason });
    this.#close();
  }

  /** Anything that is not a message of the protocol is ignored. */
  #receive(data: unknown): void {
    if (typeof data !== 'object' || data === null) return;
    const message = data as Partial<Record<'type' | 'id' | 'method' | 'args', unknown>>;
    switch (message.type as HostMessage['type']) {
      case 'ack':
        this.#establish();
        break;
      case 'call':
        if (this.#earlyEvents !== undefined) break;
        this.#dispatcher.dispatch({
          type: 'call',
          id: message.id,
          method: message.method,
          args: message.args,
        });
        break;
      case 'rst':
        this.#close();
        break;
    }
  }

  #establish(): void {
    const events = this.#earlyEvents?.values() ?? [];
    this.#earlyEvents = undefined;
    for (const event of events) this.#send(event);
  }

  #getStatus(): ViewerStatus {
    const { state, error } = this.#viewer;
    return {
      state,
      modelVisible: isModelVisible(this.#document),
      ...(error && { error: describeViewerError(error) }),
    };
  }

  #send(message: ViewerMessage): void {
    this.#port.postMessage(message);
  }

  #close(): void {
    this.#closed = true;
    this.#port.onmessage = null;
    this.#port.close();
    this.#dispatcher[Symbol.dispose]();
    this.#events[Symbol.dispose]();
  }
}
