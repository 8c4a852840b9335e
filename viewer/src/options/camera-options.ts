import {
  type OrbitValue,
  parseAngle,
  parseOrbit,
  parsePosition,
} from '@cloche/contract/option-values';
import type { ViewerOptions } from '@cloche/contract/viewer-options';
import type { CameraView } from '../camera/framing.ts';
import { DEFAULT_LIMITS, limitView, type ViewLimits } from '../camera/view-limits.ts';

/** The closest possible elevation to that of the poles. Radians. */
const MAX_ELEVATION = DEFAULT_LIMITS.elevation[1];

/**
 * Returns the view in which a model is first shown, and to which the camera returns.
 *
 * @param automatic the view without options
 * @param measureFit returns the distance at which the model fits the current frame, in a view
 */
export function createStartView(
  options: ViewerOptions,
  automatic: CameraView,
  measureFit: (view: CameraView) => number,
): CameraView {
  // Not `cloneView`: a script that is shared with the first frame would be a script of its own.
  const view = { ...automatic, target: automatic.target.clone() };
  const fovY = parseAngle(options.fieldOfView ?? 'auto');
  if (typeof fovY === 'number') view.fovY = fovY;
  Object.assign(view.target, parsePosition(options.cameraTarget ?? 'auto'));
  const { theta, phi, radius } = parseOrbit(options.cameraOrbit ?? 'auto') ?? {};
  if (theta !== undefined) view.azimuth = theta;
  if (phi !== undefined) view.elevation = Math.PI / 2 - phi;
  limitView(view, { ...DEFAULT_LIMITS, zoom: [0, Infinity] });
  const fit = measureFit(view);
  if (radius !== undefined) view.zoom = toZoom(radius, fit);
  limitView(view, createLimits(options, fit));
  return view;
}

/**
 * Returns the limits of `minCameraOrbit` and `maxCameraOrbit`.
 *
 * @param fit the distance at which the model fits the current frame
 */
export function createLimits(
  { minCameraOrbit = 'auto', maxCameraOrbit = 'auto' }: ViewerOptions,
  fit: number,
): ViewLimits {
  const min = parseOrbit(minCameraOrbit) ?? {};
  const max = parseOrbit(maxCameraOrbit) ?? {};
  const { azimuth, zoom } = DEFAULT_LIMITS;
  return {
    azimuth: [min.theta ?? azimuth[0], max.theta ?? azimuth[1]],
    // The largest angle from the zenith is the lowest elevation.
    elevation: [toElevation(max.phi, Math.PI), toElevation(min.phi, 0)],
    zoom: [
      min.radius === undefined ? zoom[0] : toZoom(min.radius, fit),
      max.radius === undefined ? zoom[1] : toZoom(max.radius, fit),
    ],
  };
}

function toElevation(phi: number | undefined, automatic: number): number {
  const elevation = Math.PI / 2 - (phi ?? automatic);
  return Math.min(Math.max(elevation, -MAX_ELEVATION), MAX_ELEVATION);
}

/** A camera in its target would show nothing. */
function toZoom(radius: NonNullable<OrbitValue['radius']>, fit: number): number {
  const zoom = 'ratio' in radius ? radius.ratio : radius.meters / fit;
  return Math.max(zoom, 1e-4);
}
