import type { PosterPlaceholder } from '@cloche/contract/viewer-config';
import { readThumbHash } from '../thumb-hash.ts';

/** Fills the frame before anything has arrived: with its colour, and a blur of what will come. */
export function showPlaceholder(
  page: Document,
  { background, thumbHash }: PosterPlaceholder,
): void {
  page.documentElement.style.setProperty('--paper', background);
  if (thumbHash === undefined) return;
  const bytes = Uint8Array.from(atob(thumbHash), (letter) => letter.charCodeAt(0));
  const { width, height, data } = readThumbHash(bytes);
  const blur = page.createElement('canvas');
  blur.id = 'blur';
  blur.width = width;
  blur.height = height;
  // Drawn, not encoded: a canvas needs no picture format and no leave of the policy.
  blur.getContext('2d')?.putImageData(new ImageData(data, width, height), 0, 0);
  page.querySelector('main')?.prepend(blur);
  page.documentElement.dataset.blur = '';
}
