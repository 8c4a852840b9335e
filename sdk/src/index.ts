export type {
  AnimationInfo,
  AnimationState,
  CameraChange,
  CameraMovement,
  CameraState,
  PartNode,
  PickResult,
  ScreenshotOptions,
  ViewerMessageEvents,
  ViewerStatus,
} from '@cloche/contract/message';
export type { ViewerOptionName, ViewerOptions } from '@cloche/contract/viewer-options';
export { type CreateViewerOptions, createViewer } from './create-viewer.ts';
export { createEmbedUrl, type EmbedSource } from './embed-url.ts';
export { ClocheError, type SdkProblemCode } from './sdk-error.ts';
export type { ViewerCalls, ViewerHandle, ViewerListener } from './viewer-handle.ts';
