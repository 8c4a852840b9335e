/**
 * The messages between a host page and the viewer in its iframe. Has no dependencies: the viewer and the SDK import it.
 *
 * The handshake is that of TCP. The SDK calls `iframe.contentWindow.postMessage` with a SYN and transfers one
 * port of a new `MessageChannel`. The viewer accepts it only from its parent window, on an origin of the token, and
 * answers on the port with a SYN-ACK: the version it chose, and the methods and events that it has. The SDK answers with an
 * ACK on the port. Only then does the viewer carry out calls and send events. All later messages use the port, which no other
 * frame has.
 *
 * The window of the viewer may not listen yet when the SDK sends its SYN. Therefore the viewer posts `VIEWER_LISTENING`
 * to its parent as soon as it does, and the SDK sends another SYN, with a new channel. The latest valid SYN of the parent
 * replaces an earlier channel.
 */
import type { ViewerOptions } from './viewer-options.ts';

/** The versions of this protocol that the viewer speaks, oldest first. Viewers keep all versions. */
export const PROTOCOL_VERSIONS = [1] as const;
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number];

/** SDK to viewer, by `postMessage` to its window, with one transferred port. */
export type Syn = { cloche: 'syn'; versions: readonly number[] };
/** Viewer to its parent, by `postMessage`: the viewer accepts a SYN now. It contains nothing of the design. */
export type ViewerListening = { cloche: 'listening'; versions: readonly number[] };
/** Error page to its parent: the design may not be shown. `code` is a problem code. It contains nothing else. */
export type ViewerRefused = { cloche: 'refused'; code: string };

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
  | { type: 'error'; id: number; code: string; message: string }
  | { type: 'event'; name: string; detail: unknown }
  /** The SYN has no version that the viewer speaks. The viewer closes the port. */
  | { type: 'reset'; versions: readonly number[] };

/** SDK to viewer, on the port. */
export type HostMessage =
  | { type: 'ack' }
  /** `id` is chosen by the SDK; the answer has the same. */
  | { type: 'call'; id: number; method: string; args: readonly unknown[] };

export type ViewerStatus = {
  /** `preview`: a simplified model is shown while the model loads. */
  state: 'loading' | 'preview' | 'ready' | 'failed';
  error?: { code: string; message: string };
};

/** A position of the camera. Angles in radians, lengths in metres. */
export type CameraState = {
  /** `theta` around the Y axis, 0 in front of the model; `phi` from the zenith; `radius` to the target. */
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
  /** The duration of the movement in milliseconds; 0 jumps. Default: a smooth movement. */
  durationMs?: number;
};

/** A node of the model. `id` is valid for this model only. Names come from the file: treat them as hostile text. */
export type PartNode = {
  id: number;
  name: string;
  visible: boolean;
  /** Triangles of this part and of the parts in it. */
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

  getCamera(): CameraState;
  /** Resolves when the camera has arrived, or when another movement has replaced this one. */
  setCamera(change: CameraChange, movement?: CameraMovement): void;
  resetCamera(movement?: CameraMovement): void;
  /** Moves the camera so that a part, or without it the whole model, fills the frame. */
  frame(part?: number, movement?: CameraMovement): void;

  /** Names of the material variants. */
  getVariants(): string[];
  /** `null`: the materials of the file. */
  getVariant(): string | null;
  setVariant(name: string | null): void;

  getAnimations(): AnimationInfo[];
  getAnimation(): AnimationState | null;
  selectAnimation(name: string): void;
  play(): void;
  pause(): void;
  /** Seconds. */
  seek(time: number): void;

  getParts(): PartNode[];
  showParts(ids: readonly number[]): void;
  hideParts(ids: readonly number[]): void;
  /** Shows only these parts. */
  isolateParts(ids: readonly number[]): void;
  /** CSS color `#rrggbb`; `null` restores the material. */
  setPartColor(ids: readonly number[], color: string | null): void;
  /** Shows all parts with their own materials. */
  resetParts(): void;

  /** A picture of the current view. */
  toBlob(options?: ScreenshotOptions): Blob;
  /** CSS pixels from the upper left corner of the frame. */
  pick(x: number, y: number): PickResult | null;
  exitFullscreen(): void;
};

/** The events of the viewer by name, with their details. */
export type ViewerMessageEvents = {
  /** The full model is shown. */
  load: Record<string, never>;
  error: { code: string; message: string };
  /** 0 to 1. */
  progress: { loaded: number };
  'camera-change': CameraState & { source: 'user' | 'api' };
  /** The model became visible in place of the poster, or is hidden again. */
  'model-visibility': { visible: boolean };
  /** The visitor clicked or tapped a part. */
  pick: PickResult;
  play: AnimationState;
  pause: AnimationState;
};

type Methods = ViewerMethods;
/** The arguments and the result of a method. */
export type MethodArguments<Name extends keyof Methods> = Parameters<Methods[Name]>;
export type MethodResult<Name extends keyof Methods> = ReturnType<Methods[Name]>;
