import type { ViewerMessageEvents, ViewerMethods } from '@cloche/contract/message';

/** The methods of the viewer, as promises: each call is answered by the iframe or fails with a `ClocheError`. */
export type ViewerCalls = {
  [Name in keyof ViewerMethods]: (
    ...args: Parameters<ViewerMethods[Name]>
  ) => Promise<ReturnType<ViewerMethods[Name]>>;
};

export type ViewerListener<Name extends keyof ViewerMessageEvents> = (
  detail: ViewerMessageEvents[Name],
) => void;

/** Controls one embed. */
export type ViewerHandle = ViewerCalls & {
  readonly iframe: HTMLIFrameElement;
  /**
   * Resolves when the viewer can be called, at the latest after 10 s; otherwise it rejects. Calls before that wait by themselves. A
   * viewer that is ready can still be loading its model: the event `load` says when it is shown.
   */
  readonly ready: Promise<ViewerHandle>;
  /** Adds a listener. Returns a function that removes it. */
  on<Name extends keyof ViewerMessageEvents>(
    name: Name,
    listener: ViewerListener<Name>,
  ): () => void;
  off<Name extends keyof ViewerMessageEvents>(name: Name, listener: ViewerListener<Name>): void;
  /** Calls a method by its name, also one that is newer than this SDK. */
  call(method: string, ...args: unknown[]): Promise<unknown>;
  /** Shows the iframe in full screen. Call it in response to a click or a key. */
  enterFullscreen(): Promise<void>;
  /** Ends the connection, and removes the iframe if `createViewer` has created it. */
  destroy(): void;
};
