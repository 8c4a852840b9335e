import type { ViewerMessage, ViewerMessageEvents } from '@cloche/contract/message';
import type { Viewer } from '../viewer.ts';
import { describeViewerError } from './describe-error.ts';

type EventMessage = Extract<ViewerMessage, { type: 'event' }>;
type SendEvent = <Name extends keyof ViewerMessageEvents>(
  name: Name,
  detail: ViewerMessageEvents[Name],
) => void;

/** As in the style sheet, where it shows the canvas. */
const VISIBLE_MODEL = '[data-revealed]:not([data-state="failed"], [data-context-lost])';

/** Whether the model is shown, in place of the poster or a message. */
export function isModelVisible({ documentElement }: Document): boolean {
  return documentElement.matches(VISIBLE_MODEL);
}

/** Sends the events of the viewer to the host page, until the result is disposed. */
export function forwardEvents(
  viewer: Pick<Viewer, 'on'>,
  document: Document,
  send: (event: EventMessage) => void,
): Disposable {
  const sendEvent: SendEvent = (name, detail) => send({ type: 'event', name, detail });
  const cameraChanges = new FrameThrottle<ViewerMessageEvents['camera-change']>((detail) =>
    sendEvent('camera-change', detail),
  );
  const listeners: Disposable[] = [
    cameraChanges,
    viewer.on('error', ({ error }) => sendEvent('error', describeViewerError(error))),
    viewer.on('progress', ({ loadedBytes, totalBytes }) =>
      sendEvent('progress', { loaded: totalBytes > 0 ? loadedBytes / totalBytes : 0 }),
    ),
    viewer.on('camerachange', (change) => cameraChanges.push(change)),
    viewer.on('pick', (result) => sendEvent('pick', result)),
    viewer.on('play', (animation) => sendEvent('play', animation)),
    viewer.on('pause', (animation) => sendEvent('pause', animation)),
    ...forwardLoad(viewer, sendEvent),
    ...forwardModelVisibility(viewer, document, sendEvent),
  ];
  return {
    [Symbol.dispose]() {
      for (const listener of listeners) listener[Symbol.dispose]();
    },
  };
}

/** The state is also `ready` again after an interruption: then nothing has been loaded. */
function forwardLoad(viewer: Pick<Viewer, 'on'>, sendEvent: SendEvent): Disposable[] {
  let isLoaded = false;
  return [
    viewer.on('modelchange', ({ isPreview }) => {
      isLoaded = !isPreview;
    }),
    viewer.on('statechange', ({ state }) => {
      if (state !== 'ready' || !isLoaded) return;
      isLoaded = false;
      sendEvent('load', {});
    }),
  ];
}

function forwardModelVisibility(
  viewer: Pick<Viewer, 'on'>,
  document: Document,
  sendEvent: SendEvent,
): Disposable[] {
  let wasVisible = isModelVisible(document);
  const update = () => {
    const visible = isModelVisible(document);
    if (visible !== wasVisible) sendEvent('model-visibility', { visible });
    wasVisible = visible;
  };
  return (['reveal', 'statechange', 'contextlost', 'contextrestored'] as const).map((event) =>
    viewer.on(event, update),
  );
}

/** Passes on the latest of the values that were pushed, at most once per frame. */
class FrameThrottle<Value> implements Disposable {
  readonly #pass: (value: Value) => void;
  #latest: Value | undefined;
  #frame: number | undefined;

  constructor(pass: (value: Value) => void) {
    this.#pass = pass;
  }

  push(value: Value): void {
    this.#latest = value;
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      this.#pass(this.#latest as Value);
    });
  }

  [Symbol.dispose](): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
  }
}
