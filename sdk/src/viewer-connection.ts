import {
  CALL_TIMEOUT_MS,
  CONNECT_TIMEOUT_MS,
  type HostMessage,
  PROTOCOL_VERSIONS,
  type Syn,
  type ViewerMessage,
  type WindowMessage,
} from '@cloche/contract/message';
import { ClocheError, createSdkError, type SdkProblemCode } from './sdk-error.ts';

/** The viewer answers each call within CALL_TIMEOUT_MS; its answer decides. */
const ANSWER_MARGIN_MS = 2000;

export type ConnectionOptions = {
  /** After this time without an answer, a call fails. Milliseconds. */
  timeoutMs?: number | undefined;
  /** Called with each event of the viewer, and with `error` if there is no connection. */
  onEvent: (name: string, detail: unknown) => void;
  /** Called after each handshake, before the calls that wait are sent. */
  onConnect: () => void;
};

type PendingCall = {
  method: string;
  args: readonly unknown[];
  settle: (error: ClocheError | undefined, value?: unknown) => void;
};

/**
 * The host page's end of the protocol in `contract/src/message.ts`, for one iframe.
 *
 * Window messages count only if their source is the window of this iframe and their origin is that of its `src`, the
 * service. The SYN is sent to that origin only, so a frame that has been navigated elsewhere gets no port.
 *
 * The iframe can be navigated, reloaded or moved at any time. The connection then continues with the new document: calls that
 * wait for an answer fail.
 */
export class ViewerConnection {
  /** Settled when the handshake with the current document has succeeded or failed. */
  ready: Promise<void> = Promise.resolve();
  readonly #iframe: HTMLIFrameElement;
  readonly #options: ConnectionOptions;
  readonly #listeners = new AbortController();
  readonly #pending = new Map<number, PendingCall>();
  #callCount = 0;
  #port: MessagePort | undefined;
  /** The window that has the other port. */
  #window: Window | null = null;
  /** The method table of the viewer; undefined before the handshake. */
  #methods: readonly string[] | undefined;
  /** Why there is no connection. */
  #error: ClocheError | undefined;
  /** What the current document has done. It does each of these once: the second time, it is another document. */
  #seen = { listening: false, load: false };
  /** Whether the listeners know that the current document has loaded its model. */
  #hasLoaded = false;
  #connectTimer: ReturnType<typeof setTimeout> | undefined;
  /** Undefined when `ready` is settled. */
  #settleReady: ((error?: ClocheError) => void) | undefined;

  constructor(iframe: HTMLIFrameElement, options: ConnectionOptions) {
    this.#iframe = iframe;
    this.#options = options;
    const { signal } = this.#listeners;
    window.addEventListener('message', (event) => this.#onWindowMessage(event), { signal });
    iframe.addEventListener('load', () => this.#onLoad(), { signal });
    this.#expectHandshake();
    this.#startTimerInView();
    this.#sendSyn();
  }

  /** Calls a method of the viewer. A call before the handshake waits for it. @throws {ClocheError} */
  call(method: string, args: readonly unknown[]): Promise<unknown> {
    // An iframe that was moved in the page has a new window.
    if (this.#methods && this.#window !== this.#iframe.contentWindow) this.#onUnload();
    return new Promise((resolve, reject) => {
      if (this.#error) return reject(this.#error);
      const { timeoutMs = CALL_TIMEOUT_MS + ANSWER_MARGIN_MS } = this.#options;
      const id = ++this.#callCount;
      const settle: PendingCall['settle'] = (error, value) => {
        clearTimeout(timer);
        this.#pending.delete(id);
        if (error) reject(error);
        else resolve(value);
      };
      const timer = setTimeout(
        () => settle(createSdkError('sdk.timeout', ` (${method})`)),
        timeoutMs,
      );
      this.#pending.set(id, { method, args, settle });
      if (this.#methods) this.#sendCall(id);
    });
  }

  /** Ends the connection. Calls that wait, and all later ones, fail. */
  close(): void {
    this.#listeners.abort();
    this.#post({ type: 'rst', reason: 'closed' });
    this.#disconnect('sdk.destroyed');
    this.#error = createSdkError('sdk.destroyed');
    this.#settleReady?.(this.#error);
  }

  /** The origin of the service. Read each time, because pages can set `src` later. */
  get #origin(): string | undefined {
    const { src } = this.#iframe;
    return /^https?:/.test(src) ? new URL(src).origin : undefined;
  }

  #onWindowMessage({ source, origin, data }: MessageEvent<WindowMessage | null | undefined>): void {
    if (!source || source !== this.#iframe.contentWindow || origin !== this.#origin) return;
    switch (data?.cloche) {
      case 'listening':
        this.#noteDocument('listening');
        this.#sendSyn();
        break;
      case 'refused':
        this.#noteDocument('listening');
        this.#fail(createServiceError(data.code, `${origin}/docs/problems#${data.code}`));
        break;
      case 'failed':
        if (!this.#methods)
          this.#fail(createServiceError(data.code, `${origin}/docs/viewer-api#errors`));
    }
  }

  #onLoad(): void {
    this.#noteDocument('load');
    // If the document is listening, its SYN has been sent.
    if (!this.#methods && !this.#seen.listening) this.#sendSyn();
  }

  /**
   * Ends the connection to the previous document if this is a sign of another one. A viewer is listening before its
   * document has loaded, and each happens once.
   */
  #noteDocument(sign: 'listening' | 'load'): void {
    const { listening, load } = this.#seen;
    if (load || (listening && sign === 'listening')) {
      // Calls that have not been sent yet wait for the next document.
      if (this.#methods) this.#disconnect('sdk.disconnected');
      this.#expectDocument();
    }
    this.#seen[sign] = true;
    this.#startTimer();
  }

  #expectDocument(): void {
    this.#seen = { listening: false, load: false };
    this.#hasLoaded = false;
    this.#expectHandshake();
  }

  #expectHandshake(): void {
    this.#error = undefined;
    if (this.#settleReady) return;
    this.ready = new Promise((resolve, reject) => {
      this.#settleReady = (error) => {
        clearTimeout(this.#connectTimer);
        this.#connectTimer = undefined;
        this.#settleReady = undefined;
        if (error) reject(error);
        else resolve();
      };
    });
    // Not everyone waits for it: the event `error` has the same information.
    this.ready.catch(() => {});
  }

  #startTimer(): void {
    if (this.#methods || this.#connectTimer || this.#error) return;
    this.#connectTimer = setTimeout(
      () => this.#fail(createSdkError('sdk.timeout')),
      CONNECT_TIMEOUT_MS,
    );
  }

  /** A lazy iframe has no document before it is close to the view. */
  #startTimerInView(): void {
    if (this.#iframe.loading !== 'lazy') {
      this.#startTimer();
      return;
    }
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      this.#startTimer();
    });
    observer.observe(this.#iframe);
    this.#listeners.signal.addEventListener('abort', () => observer.disconnect());
  }

  /** Sends a SYN with a new channel, which replaces the previous one. Calls without an answer are sent again after it. */
  #sendSyn(): void {
    const { contentWindow, contentDocument } = this.#iframe;
    const origin = this.#origin;
    // Before the document of the service, there is an empty one, which this page can read. The browser would log an error.
    const isEmpty = contentDocument !== null && contentDocument.location.origin !== origin;
    if (!contentWindow || !origin || isEmpty) return;
    this.#closePort();
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#window = contentWindow;
    port1.onmessage = ({ data }) => this.#onMessage(data);
    const syn: Syn = { cloche: 'syn', versions: PROTOCOL_VERSIONS };
    contentWindow.postMessage(syn, origin, [port2]);
  }

  #onMessage(message: ViewerMessage): void {
    switch (message.type) {
      case 'syn-ack':
        this.#onConnect(message);
        break;
      case 'result':
        this.#pending.get(message.id)?.settle(undefined, message.value);
        break;
      case 'error':
        this.#pending.get(message.id)?.settle(new ClocheError(message.code, message.message));
        break;
      case 'event':
        if (message.name === 'load') this.#hasLoaded = true;
        this.#options.onEvent(message.name, message.detail);
        break;
      case 'rst':
        this.#onRst(message.reason);
    }
  }

  #onConnect({ methods, state }: Extract<ViewerMessage, { type: 'syn-ack' }>): void {
    // The viewer may answer after the time for it.
    if (this.#error) this.#expectHandshake();
    this.#methods = methods;
    this.#post({ type: 'ack' });
    this.#settleReady?.();
    const waiting = [...this.#pending.keys()];
    this.#options.onConnect();
    for (const id of waiting) this.#sendCall(id);
    // After the code that waits for `ready` has added its listeners.
    setTimeout(() => {
      if (state.modelVisible) this.#options.onEvent('model-visibility', { visible: true });
      if (state.error) this.#options.onEvent('error', state.error);
      if (state.state !== 'ready' || this.#hasLoaded) return;
      this.#hasLoaded = true;
      this.#options.onEvent('load', {});
    });
  }

  #onRst(reason: string): void {
    if (reason === 'closed') this.#onUnload();
    else {
      const isVersion = reason === 'version';
      this.#disconnect('sdk.disconnected');
      this.#fail(createSdkError(isVersion ? 'sdk.unsupported-version' : 'sdk.disconnected'));
    }
  }

  /** The document is gone: the iframe has been removed, moved or navigated. */
  #onUnload(): void {
    this.#disconnect('sdk.disconnected');
    this.#expectDocument();
    if (this.#iframe.isConnected) this.#startTimerInView();
  }

  #sendCall(id: number): void {
    const { method, args, settle } = this.#pending.get(id) as PendingCall;
    try {
      if (this.#methods?.includes(method)) this.#post({ type: 'call', id, method, args });
      else settle(createSdkError('sdk.unsupported-method', ` (${method})`));
    } catch (error) {
      // Functions, DOM nodes and the like.
      settle(createSdkError('sdk.invalid-argument', ` ${error}`));
    }
  }

  #post(message: HostMessage): void {
    this.#port?.postMessage(message);
  }

  #closePort(): void {
    this.#methods = undefined;
    this.#port?.close();
    this.#port = undefined;
  }

  /** Closes the channel, if there is one. Calls that wait fail. */
  #disconnect(code: SdkProblemCode): void {
    this.#closePort();
    for (const { settle } of [...this.#pending.values()]) settle(createSdkError(code));
  }

  /** There is no connection to the current document. A later message of it can still start one. */
  #fail(error: ClocheError): void {
    for (const { settle } of [...this.#pending.values()]) settle(error);
    this.#methods = undefined;
    this.#error = error;
    this.#settleReady?.(error);
    this.#options.onEvent('error', { code: error.code, message: error.message });
  }
}

/** An error that the document reports by its code alone; `url` explains it. */
function createServiceError(code: unknown, url: string): ClocheError {
  return new ClocheError(String(code), `The design is not shown (${code}). See ${url}`);
}
