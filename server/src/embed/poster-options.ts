import type { ViewerOptionName, ViewerOptions } from '@cloche/contract/viewer-options';

/** The options that change the first picture, with their defaults. The background is not in the poster. */
const FIRST_PICTURE = {
  cameraOrbit: 'auto auto auto',
  cameraTarget: 'auto auto auto',
  fieldOfView: 'auto',
  minCameraOrbit: 'auto auto auto',
  maxCameraOrbit: 'auto auto auto',
  variantName: undefined,
  animationName: undefined,
  exposure: 1,
  shadowIntensity: 1,
} as const satisfies { [Name in ViewerOptionName]?: ViewerOptions[Name] | undefined };

/**
 * Whether the document shows the poster. The poster is rendered without options: if they change the first picture, it must
 * not be shown, because the picture would jump.
 */
export function showsPoster(options: ViewerOptions = {}): boolean {
  if (options.poster === false) return false;
  return Object.entries(FIRST_PICTURE).every(([name, defaultValue]) => {
    const value = options[name as ViewerOptionName];
    return value === undefined || value === defaultValue;
  });
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
