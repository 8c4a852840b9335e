import type { OrbitController } from '../camera/orbit-controller.ts';
import type { ViewLimits } from '../camera/view-limits.ts';
import type { DeferredFeaturesContext } from '../deferred-features.ts';
import type { Viewer } from '../viewer.ts';
import { AutoRotation } from './auto-rotation.ts';
import { mountAutoplay } from './autoplay.ts';
import { createLimits } from './camera-options.ts';
import { mountInteraction } from './interaction.ts';

const START_VIEW_OPTIONS = ['cameraOrbit', 'cameraTarget', 'fieldOfView'] as const;
const LIMIT_OPTIONS = ['minCameraOrbit', 'maxCameraOrbit'] as const;

/** Returns the limits of the camera by the options, in the current frame. Radians and zoom. */
export function getLimits(viewer: Viewer, { renderer }: DeferredFeaturesContext): ViewLimits {
  const { viewCamera } = renderer;
  return createLimits(viewer.getOptions(), viewCamera.fitDistance(viewCamera.view.fovY));
}

type MountOptions = {
  camera: OrbitController;
  view: HTMLElement;
  reducedMotion: MediaQueryList;
  autoplay: () => void;
};

/** Applies the options that need a model on the screen, now and when they change. */
export function mountOptions(
  viewer: Viewer,
  { renderer, emit }: DeferredFeaturesContext,
  { camera, view, reducedMotion, autoplay }: MountOptions,
): AutoRotation {
  viewer.on('optionschange', ({ changed }) => {
    if (START_VIEW_OPTIONS.some((name) => changed.has(name)))
      camera.followOptions('to-default-view');
    else if (LIMIT_OPTIONS.some((name) => changed.has(name))) camera.followOptions('into-limits');
  });
  mountInteraction(viewer, view);
  mountAutoplay(viewer, reducedMotion, autoplay);
  return new AutoRotation({
    viewer,
    camera,
    renderer,
    view,
    reducedMotion,
    onChange: (change) => emit('autorotatechange', change),
  });
}
