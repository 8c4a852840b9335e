import { normalizeOptions } from './parse-option.ts';
import type { ViewerOptionName, ViewerOptions } from './viewer-options.ts';

/** The options that change the first picture, with their defaults. The background is not in a poster. */
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

/** Returns the options that change the first picture, without those that have their default. */
export function pickPictureOptions(options: ViewerOptions): ViewerOptions {
  const entries = Object.entries(normalizeOptions(options)).filter(
    ([name, value]) =>
      Object.hasOwn(FIRST_PICTURE, name) &&
      value !== FIRST_PICTURE[name as keyof typeof FIRST_PICTURE],
  );
  return Object.fromEntries(entries);
}

/** Whether the first picture is the same with both. */
export function haveSamePicture(a: ViewerOptions, b: ViewerOptions): boolean {
  return JSON.stringify(pickPictureOptions(a)) === JSON.stringify(pickPictureOptions(b));
}
