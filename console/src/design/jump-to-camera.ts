import type { CameraState } from '@cloche/contract/message';
import type { ViewerHandle } from '../../../sdk/src/viewer-handle.ts';

/** Moves the camera of a view at once, unless the view was removed. */
export function jumpToCamera(
  viewer: ViewerHandle,
  { orbit, target, fieldOfView }: CameraState,
): void {
  viewer.setCamera({ orbit, target, fieldOfView }, { durationMs: 0 }).catch(() => undefined);
}
