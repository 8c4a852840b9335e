import type { AnimationState, CameraState, PickResult } from '@cloche/contract/message';
import type { ViewerOptionName } from '@cloche/contract/viewer-options';
import type { CameraView } from './camera/framing.ts';
import type { DownloadProgress } from './loader/download.ts';
import type { LoadedModel } from './loader/prepare-model.ts';
import type { ViewerError } from './viewer-error.ts';

/** `preview`: the preview is shown, and the model is loading or could not be loaded. */
export type ViewerState = 'loading' | 'preview' | 'ready' | 'failed';

/** Who moves the camera: the visitor, or a call. */
export type CameraSource = 'user' | 'api';

/** The events of a Viewer, by name, with their payloads. */
export type ViewerEvents = {
  statechange: { state: ViewerState; previous: ViewerState };
  /** The progress of downloading the model. Not sent for the preview. */
  progress: DownloadProgress;
  /** The preview or the model is shown now. */
  modelchange: { model: LoadedModel; isPreview: boolean };
  /** The controls work now. */
  controlsready: undefined;
  /** The 3D view is shown in place of the poster. Also sent if it already was. */
  reveal: undefined;
  /** The camera starts to move to `goal`, or has arrived: then `view` equals `goal`. */
  viewchange: { view: CameraView; goal: CameraView };
  /** The camera has moved: once for each frame of a movement. */
  camerachange: CameraState & { source: CameraSource };
  /** Another animation is selected, or it was started, stopped or moved to another time. */
  animationchange: AnimationState;
  play: AnimationState;
  pause: AnimationState;
  /** `name` is null for the materials of the file. */
  variantchange: { name: string | null };
  /** Parts were shown, hidden or colored. */
  partschange: undefined;
  /** The visitor clicked or tapped a part. */
  pick: PickResult;
  /** The option `autoRotate` was changed, or a visitor has stopped the rotation or started it again. */
  autorotatechange: { available: boolean; active: boolean };
  /** `setOptions` has changed these options. */
  optionschange: { changed: ReadonlySet<ViewerOptionName> };
  /**
   * In the state `failed`, nothing is shown. In `preview`, the model could not be loaded; with the code
   * `controls`, the controls could not.
   */
  error: { error: ViewerError };
  /** The WebGL context was lost or released, with everything on the GPU. */
  contextlost: undefined;
  contextrestored: undefined;
  fullscreenchange: { active: boolean };
};
