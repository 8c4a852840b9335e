import type { Viewer } from '../viewer.ts';

/**
 * Shows the progress of loading in a `<progress>` element: a percentage while the model is downloaded,
 * indeterminate before and after. The style sheet hides the element for the first second.
 */
export function mountProgressBar(viewer: Viewer, element: HTMLProgressElement): void {
  viewer.on('progress', ({ loadedBytes, totalBytes }) => {
    element.hidden = false;
    if (loadedBytes < totalBytes) element.value = (100 * loadedBytes) / totalBytes;
    else element.removeAttribute('value');
  });
  viewer.on('statechange', ({ state }) => {
    if (state === 'loading') element.removeAttribute('value');
  });
  viewer.on('error', () => {
    element.hidden = viewer.state === 'preview';
  });
}
