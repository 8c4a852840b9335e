import type { CameraView } from './camera/framing.ts';
import type { DownloadProgress } from './loader/download.ts';
import type { LoadedModel } from './loader/prepare-model.ts';
import type { ViewerError } from './viewer-error.ts';

/** `preview`: the preview is shown, and the model is loading or could not be loaded. */
export type ViewerState = 'loading' | 'preview' | 'ready' | 'failed';

/** The events of a Viewer, by name, with their payloads. */
export type ViewerEvents = {
  statechange: { state: ViewerState; previous: ViewerState };
  /** The progress of downloading the model. Not sent for the preview. */
  progress: DownloadProgress;
  /** The preview or the model is shown now. */
  modelchange: { model: LoadedModel; isPreview: boolean };
  /** The camera starts to move to `goal`, or has arrived: then `view` equals `goal`. */
  viewchange: { view: CameraView; goal: CameraView };
  animationchange: { playing: boolean; index: number };
  /** `index` is undefined for the default materials of the file. */
  variantchange: { index: number | undefined };
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
