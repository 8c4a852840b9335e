import type { PosterPlaceholder } from '@cloche/contract/viewer-config';
import { thumbHashToRGBA } from 'thumbhash';

/** Fills the frame before anything has arrived: with its colour, and a blur of what will come. */
export function showPlaceholder(
  page: Document,
  { background, thumbHash }: PosterPlaceholder,
): void {
  page.documentElement.style.setProperty('--placeholder-background', background);
  if (thumbHash === undefined) return;
  const bytes = Uint8Array.from(atob(thumbHash), (letter) => letter.charCodeAt(0));
  const { w, h, rgba } = thumbHashToRGBA(bytes);
  const blur = page.createElement('canvas');
  blur.id = 'placeholder';
  blur.width = w;
  blur.height = h;
  // Drawn, not encoded: a canvas needs no picture format and no leave of the policy.
  blur.getContext('2d')?.putImageData(new ImageData(new Uint8ClampedArray(rgba), w, h), 0, 0);
  page.querySelector('main')?.prepend(blur);
  page.documentElement.dataset.placeholder = '';
}
