import type { PosterPlaceholder } from '@cloche/contract/viewer-config';
import { thumbHashToRGBA } from 'thumbhash';

/** Shows the background color and the ThumbHash of the poster, until the poster or the model is visible. */
export function showPlaceholder(
  document: Document,
  { background, thumbHash }: PosterPlaceholder,
): void {
  document.documentElement.style.setProperty('--placeholder-background', background);
  if (thumbHash === undefined) return;
  const bytes = Uint8Array.from(atob(thumbHash), (char) => char.charCodeAt(0));
  const { w, h, rgba } = thumbHashToRGBA(bytes);
  const canvas = document.createElement('canvas');
  canvas.id = 'placeholder';
  canvas.width = w;
  canvas.height = h;
  // A canvas needs no encoding; an image would, and the Content-Security-Policy would have to allow it.
  canvas.getContext('2d')?.putImageData(new ImageData(new Uint8ClampedArray(rgba), w, h), 0, 0);
  document.querySelector('main')?.prepend(canvas);
  document.documentElement.dataset.placeholder = '';
}
