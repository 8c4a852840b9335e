/**
 * The messages between a host page and the viewer in its iframe. Has no dependencies: the viewer and the SDK import it.
 *
 * ## Handshake
 *
 * It is that of TCP:
 *
 * ```
 * SDK (host page)                                      viewer (iframe)
 *    |  <------------- listening ------------------------  |   window.postMessage
 *    |  -------------- SYN, with one port -------------->  |   window.postMessage
 *    |  <------------- SYN-ACK --------------------------  |   on the port, like all that follows
 *    |  -------------- ACK ----------------------------->  |
 *    |  -------------- call ---------------------------->  |
 *    |  <------------- result, error, event -------------  |
 *    |  <------------- RST ----------------------------->  |   either side ends the connection at once
 * ```
 *
 * 1. The viewer posts `listening` to its parent window when it accepts a SYN. An SDK that comes later has missed it: it sends
 *    its first SYN unasked. (While `iframe.contentDocument` is not null, the iframe has no document of ours yet.)
 * 2. The SDK posts a SYN to `iframe.contentWindow` and transfers one port of a new `MessageChannel`. `targetOrigin` is the origin
 *    of the service, never `*`: a frame that has been navigated to another site does not get the port.
 * 3. The viewer answers on the port with a SYN-ACK: the version, and the methods and events that it has. This can take some
 *    seconds, because it does not delay the first frame.
 * 4. The SDK answers with an ACK. Only then does the viewer carry out calls and send events.
 *
 * ## Who is heard
 *
 * - The viewer accepts a SYN from its parent window only, on an origin of the token; the parent of a shared design may be on any origin, also
 *   an opaque one. It ignores its other ancestors, frames next to it, and a SYN without exactly one port. It answers nobody
 *   else, not even with an error.
 * - The SDK accepts a window message only if `event.source` is the window of its iframe and `event.origin` is the origin of the
 *   service.
 * - The port belongs to the two of them. There is no secret: who holds the port was given it by the parent.
 * - A SYN is used once, because its port is. Another SYN of the parent replaces the connection: the viewer sends RST on the old port and
 *   closes it; calls that wait are not carried out. This also happens when the iframe has loaded its document again:
 *   then the SDK gets another `listening`, its old port is dead, and the calls that were not answered have failed.
 * - A message that is none of these is ignored. Newer versions may add fields to a message: ignore those that you do not know.
 */
import type { ViewerOptions } from './viewer-options.ts';

/** The versions of this protocol that the viewer speaks, oldest first. Viewers keep all versions. */
export const PROTOCOL_VERSIONS = [1] as const;
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number];

/** The SDK reports an error if the viewer has not connected in this time, counted from the start of its document. */
export const CONNECT_TIMEOUT_MS = 10_000;
/**
 * The viewer answers every call within this time. A call that still waits then, for instance for the model, fails and is
 * not carried out later. An SDK waits somewhat longer, so that the answer of the viewer decides.
 */
export const CALL_TIMEOUT_MS = 30_000;
/** The calls of a connection that may be unanswered at the same time. The viewer rejects further ones. */
export const MAX_PENDING_CALLS = 100;
/** The longest movement of the camera. It ends before `CALL_TIMEOUT_MS`. */
export const MAX_MOVEMENT_MS = 20_000;

/** SDK to viewer, by `postMessage` to its window, with one transferred port. Accepted versions in any order. */
export type Syn = { cloche: 'syn'; versions: readonly number[] };

/**
 * Viewer to its parent window, by `postMessage`, to any origin. They contain nothing of the design, and no token.
 *
 * - `listening`: the viewer accepts a SYN now. Sent once by each document.
 * - `refused`: the design is not shown. `code` is that of the message in the iframe, a problem code. The page may
 *   load itself again later, for instance after `design.not-ready`. Sent again for each SYN.
 * - `failed`: the viewer cannot run: its sandbox does not allow that (`embed.sandbox`), or a script could not be loaded or is late. If
 *   it arrives after all, the viewer answers the SYN. Sent again for each SYN, except in such a sandbox, which none reaches.
 */
export type WindowMessage =
  | { cloche: 'listening'; versions: readonly number[] }
  | { cloche: 'refused'; code: string }
  | { cloche: 'failed'; code: string };

/** Viewer to SDK, on the port. */
export type ViewerMessage =
  | {
      type: 'syn-ack';
      version: ProtocolVersion;
      /** The names of the methods and events that this viewer has. An SDK rejects calls of others. */
      methods: readonly string[];
      events: readonly string[];
      /** The state at this time, so that a late SDK does not wait for an event that has passed. */
      state: ViewerStatus;
    }
  /** The answer to a call. `value` is absent for methods without a result. */
  | { type: 'result'; id: number; value?: unknown }
  /** `message` is English, for developers. */
  | { type: 'error'; id: number; code: string; message: string }
  | { type: 'event'; name: string; detail: unknown }
  | Rst;

/** SDK to viewer, on the port. */
export type HostMessage =
  | { type: 'ack' }
  /** `id` is an integer that the SDK chooses; the answer has the same. */
  | { type: 'call'; id: number; method: string; args: readonly unknown[] }
  | Rst;

/**
 * The sender has closed its end of the port. Calls without an answer have failed.
 *
 * - `version`: the SYN has no version that the viewer speaks. It speaks `versions`.
 * - `replaced`: the parent has sent another SYN.
 * - `closed`: the document of the viewer is being unloaded, or the SDK has ended the connection.
 */
export type Rst = {
  type: 'rst';
  reason: 'version' | 'replaced' | 'closed';
  versions?: readonly number[];
};

/** Says whether `data` of a window message is a SYN. The sender must have been checked. */
export function isSyn(data: unknown): data is Syn {
  const { cloche, versions } = (data ?? {}) as Partial<Syn>;
  return cloche === 'syn' && Array.isArray(versions);
}

export type ViewerStatus = {
  /** `preview`: a simplified model is shown while the model loads. */
  state: 'loading' | 'preview' | 'ready' | 'failed';
  /** As in the event `model-visibility`. */
  modelVisible: boolean;
  /** Why the state is `failed`, or why the model did not replace the preview. */
  error?: { code: string; message: string };
};

/** A position of the camera. Angles in radians, lengths in metres. */
export type CameraState = {
  /** `theta` around the Y axis, 0 in front of the model, and at rest from -π to π unless it has limits; `phi` from the zenith; `radius` to the target. */
  orbit: { theta: number; phi: number; radius: number };
  target: { x: number; y: number; z: number };
  /** Vertical. */
  fieldOfView: number;
};
/** What `setCamera` takes: numbers, or the value syntax of the options. Omitted values do not change. */
export type CameraChange = {
  orbit?: string | Partial<CameraState['orbit']>;
  target?: string | Partial<CameraState['target']>;
  fieldOfView?: string | number;
};
export type CameraMovement = {
  /** The duration of the movement in milliseconds, at most `MAX_MOVEMENT_MS`; 0 jumps. Default: a smooth movement. */
  durationMs?: number;
};

/** A node of the model. `id` is valid for this model only. Names come from the file: treat them as hostile text. */
export type PartNode = {
  id: number;
  name: string;
  visible: boolean;
  /** Triangles of this part and of the parts in it, in the geometry that was loaded first. */
  triangles: number;
  children: PartNode[];
};
export type AnimationState = {
  name: string;
  playing: boolean;
  /** Seconds. */
  time: number;
  duration: number;
};
export type AnimationInfo = { name: string; duration: number };
/** The point of the model under a point of the frame. Positions in metres, in the coordinates of the model. */
export type PickResult = {
  part: { id: number; name: string };
  position: { x: number; y: number; z: number };
  normal: { x: number; y: number; z: number };
};
export type ScreenshotOptions = {
  /** Default: `image/png`. */
  type?: 'image/png' | 'image/jpeg' | 'image/webp';
  /** 0 to 1, for JPEG and WebP. */
  quality?: number;
  /** Pixels. Default: the size of the frame. At most 4096 each. */
  width?: number;
  height?: number;
};

/** The methods of the viewer by name. A part is named by its id. */
export type ViewerMethods = {
  /** Loads the model now, with `loading: 'click'` or out of view. */
  load(): void;
  getOptions(): ViewerOptions;
  /** Changes options. `null` restores the default. `loading` and `lang` have no effect after the start. */
  setOptions(options: { [Name in keyof ViewerOptions]?: ViewerOptions[Name] | null }): void;

  /** Where the camera is at the moment. */
  getCamera(): CameraState;
  /** Resolves when the camera has arrived, or when another movement has replaced this one. */
  setCamera(change: CameraChange, movement?: CameraMovement): void;
  /** Moves the camera to where it was at the start. */
  resetCamera(movement?: CameraMovement): void;
  /** Moves the camera so that a part, or without it the whole model, fills the frame. */
  frame(part?: number, movement?: CameraMovement): void;

  /** Names of the material variants. One without a name is `Variant 2` by its place, the second of two equal names `Oak (2)`. */
  getVariants(): string[];
  /** `null`: the materials of the file. */
  getVariant(): string | null;
  /** Resolves when the materials have been applied. */
  setVariant(name: string | null): void;

  /** Without a name or with the name of another one, they are called as variants are: `Animation 2`, `Open (2)`. */
  getAnimations(): AnimationInfo[];
  getAnimation(): AnimationState | null;
  selectAnimation(name: string): void;
  /** Plays the selected animation. */
  play(): void;
  /** Stops the animation where it is, or before it plays by itself. */
  pause(): void;
  /** Shows the animation at this time, in seconds. */
  seek(time: number): void;

  getParts(): PartNode[];
  showParts(ids: readonly number[]): void;
  /** Also hides the parts in them. The shadow stays that of the whole model, until all parts are hidden. */
  hideParts(ids: readonly number[]): void;
  /** Shows only these parts. */
  isolateParts(ids: readonly number[]): void;
  /** Replaces the base color; a texture stays, multiplied by it. CSS color `#rrggbb`; `null` restores the material. */
  setPartColor(ids: readonly number[], color: string | null): void;
  /** Shows all parts with their own materials. */
  resetParts(): void;

  /** A picture of the current view. */
  toBlob(options?: ScreenshotOptions): Blob;
  /** CSS pixels from the upper left corner of the frame. */
  pick(x: number, y: number): PickResult | null;
  /** Ends full screen, whether the page or the visitor has started it. */
  exitFullscreen(): void;
};

/** The events of the viewer by name, with their details. */
export type ViewerMessageEvents = {
  /** The full model is shown. */
  load: Record<string, never>;
  /** The design could not be shown, or the model did not replace the preview. */
  error: { code: string; message: string };
  /** How much of the model has loaded, 0 to 1. */
  progress: { loaded: number };
  /** The camera has moved: by the visitor, or by a method. */
  'camera-change': CameraState & { source: 'user' | 'api' };
  /** The model became visible in place of the poster, or is hidden again. */
  'model-visibility': { visible: boolean };
  /** The visitor clicked or tapped a part. */
  pick: PickResult;
  /** The animation has started to play. */
  play: AnimationState;
  /** The animation has been paused. */
  pause: AnimationState;
};

/** The names of all methods and events, at run time. message.test.ts compares them with the types. */
export const METHOD_NAMES = [
  'load',
  'getOptions',
  'setOptions',
  'getCamera',
  'setCamera',
  'resetCamera',
  'frame',
  'getVariants',
  'getVariant',
  'setVariant',
  'getAnimations',
  'getAnimation',
  'selectAnimation',
  'play',
  'pause',
  'seek',
  'getParts',
  'showParts',
  'hideParts',
  'isolateParts',
  'setPartColor',
  'resetParts',
  'toBlob',
  'pick',
  'exitFullscreen',
] as const satisfies readonly (keyof ViewerMethods)[];
export const EVENT_NAMES = [
  'load',
  'error',
  'progress',
  'camera-change',
  'model-visibility',
  'pick',
  'play',
  'pause',
] as const satisfies readonly (keyof ViewerMessageEvents)[];
