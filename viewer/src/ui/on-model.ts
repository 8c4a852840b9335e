import type { Viewer } from '../viewer.ts';

/** Calls a function when the model is shown, or now if it is. It is not called for the preview. */
export function onModel(viewer: Viewer, listener: () => unknown): void {
  viewer.on('modelchange', ({ isPreview }) => {
    if (!isPreview) void listener();
  });
  if (viewer.state === 'ready') void listener();
}
