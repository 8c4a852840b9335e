import { haveSamePicture } from '@cloche/contract/first-picture';
import type { ViewerOptions } from '@cloche/contract/viewer-options';

/**
 * Whether the document shows the poster. With options that make another first picture than those it was rendered with, it
 * must not be shown, because the picture would jump.
 */
export function showsPoster(
  options: ViewerOptions = {},
  posterOptions: ViewerOptions = {},
): boolean {
  return options.poster !== false && haveSamePicture(options, posterOptions);
}

/**
 * Whether the document shows the preview. It has no variants, and the pose of the first animation: with another one, it would
 * show something else than the model that replaces it.
 */
export function showsPreview(
  { variantName, animationName }: ViewerOptions,
  stats: { variants: number; animations: number },
): boolean {
  return !(
    (variantName !== undefined && stats.variants > 0) ||
    (animationName !== undefined && stats.animations > 1)
  );
}
