import type { CameraView } from './camera/framing.ts';
import type { DownloadProgress } from './loader/download.ts';
import type { LoadedModel } from './loader/prepare-model.ts';
import type { ViewerError } from './viewer-error.ts';

/** `preview`: the preview is shown and the model is not there yet, or could not be loaded. */
export type ViewerState = 'loading' | 'preview' | 'ready' | 'failed';

/** The events of a Viewer, by name, with their payloads. */
export type ViewerEvents = {
  statechange: { state: ViewerState; previous: ViewerState };
  /** Of the download of the model, not of the preview. */
  progress: DownloadProgress;
  /** Another model is shown. */
  modelchange: { model: LoadedModel; isPreview: boolean };
  /** The camera was sent to `goal`, or has arrived there: then `view` equals `goal`. */
  viewchange: { view: CameraView; goal: CameraView };
  animationchange: { playing: boolean; index: number };
  /** `index` is undefined for the materials of the file itself. */
  variantchange: { index: number | undefined };
  /** In the state `preview` the model could not be loaded; otherwise the state is `failed`. */
  error: { error: ViewerError };
  contextlost: undefined;
  contextrestored: undefined;
  fullscreenchange: { active: boolean };
};
