import { computeDefaultViewAngles } from '@cloche/contract/default-view';
import { type PerspectiveCamera, Vector3 } from 'three';
import type { ModelBounds } from '../scene/model-bounds.ts';

/** A position of the camera, independent of the sizes of the model and of the frame. */
export type CameraView = {
  /** Radians around the Y axis; 0 is in front of the model (+Z), positive to its right (+X). */
  azimuth: number;
  /** Radians above the horizon. */
  elevation: number;
  /** Distance to the target, relative to the distance at which the model fits the frame. */
  zoom: number;
  /** The point that the camera looks at and orbits, world space. */
  target: Vector3;
  /** Vertical field of view, radians. A change does not change how much of the frame the target fills. */
  fovY: number;
};

/** Returns a deep copy. */
export function cloneView(view: CameraView): CameraView {
  return { ...view, target: view.target.clone() };
}

/** The largest share of the frame's width and height that a model fills. */
const MAX_FRAME_FILL = 0.8;

const DEGREE = Math.PI / 180;

const DEFAULT_FOV_Y = 30 * DEGREE;
/** The frame for which the height of the target is computed. The result differs little in others. */
const NOMINAL_ASPECT = 1.5;

/** Returns the view in which a model is first shown. */
export function computeDefaultView(bounds: ModelBounds): CameraView {
  const { size, center } = bounds;
  const angles = computeDefaultViewAngles(size);
  const view = { ...angles, zoom: 1, target: center.clone(), fovY: DEFAULT_FOV_Y };
  for (let pass = 0; pass < 2; pass++) centerVertically(bounds, view);
  return view;
}

/**
 * Moves the target up or down until the margins above and below the model are equal. They differ because
 * of perspective: from above, near parts of the model appear lower in the frame. The target is not
 * moved sideways, so that the model rotates around its own axis.
 */
function centerVertically(bounds: ModelBounds, view: CameraView): void {
  const distance = fitDistance(bounds, view, view.fovY, NOMINAL_ASPECT);
  const { backward, upward } = getCameraAxes(view);
  const { points } = bounds;
  const { target } = view;
  let top = -Infinity;
  let bottom = Infinity;
  for (let index = 0; index < points.length; index += 3) {
    const x = (points[index] ?? 0) - target.x;
    const y = (points[index + 1] ?? 0) - target.y;
    const z = (points[index + 2] ?? 0) - target.z;
    const up = x * upward.x + y * upward.y + z * upward.z;
    const towards = x * backward.x + y * backward.y + z * backward.z;
    const slope = up / Math.max(distance - towards, distance * 0.1);
    top = Math.max(top, slope);
    bottom = Math.min(bottom, slope);
  }
  view.target.y += (((top + bottom) / 2) * distance) / Math.cos(view.elevation);
}

/** Returns the direction from the target to the camera. */
export function toCameraDirection(
  { azimuth, elevation }: CameraView,
  result = new Vector3(),
): Vector3 {
  return result.set(
    Math.sin(azimuth) * Math.cos(elevation),
    Math.sin(elevation),
    Math.cos(azimuth) * Math.cos(elevation),
  );
}

/**
 * Returns the distance from `view.target` at which the points of the bounds fill the frame, up to
 * MAX_FRAME_FILL.
 *
 * Every point is projected: with the bounding sphere, a flat ring or a tall tower would appear too
 * small.
 *
 * @param fovY vertical field of view, radians
 * @param aspect width over height
 */
export function fitDistance(
  bounds: ModelBounds,
  view: CameraView,
  fovY: number,
  aspect: number,
): number {
  const perHeight = 1 / (Math.tan(fovY / 2) * MAX_FRAME_FILL);
  const perWidth = perHeight / aspect;
  const { backward, rightward, upward } = getCameraAxes(view);
  const { points } = bounds;
  const { target } = view;
  let distance = 0;
  // A large model that is measured has about 24,000 points, and this runs on every frame: a generator takes four times as long.
  for (let index = 0; index < points.length; index += 3) {
    const x = (points[index] ?? 0) - target.x;
    const y = (points[index + 1] ?? 0) - target.y;
    const z = (points[index + 2] ?? 0) - target.z;
    // The axis to the right is horizontal.
    const right = x * rightward.x + z * rightward.z;
    const up = x * upward.x + y * upward.y + z * upward.z;
    const towards = x * backward.x + y * backward.y + z * backward.z;
    const needed = Math.max(Math.abs(right) * perWidth, Math.abs(up) * perHeight);
    distance = Math.max(distance, towards + needed);
  }
  return Math.max(distance, bounds.radius * 1e-2);
}

/** The axes of the camera in a view, world space. */
function getCameraAxes(view: CameraView) {
  const backward = toCameraDirection(view);
  const rightward = new Vector3(Math.cos(view.azimuth), 0, -Math.sin(view.azimuth));
  return { backward, rightward, upward: new Vector3().crossVectors(backward, rightward) };
}

/** Places the camera. The near and far planes are close to the model, for the best depth precision. */
export function placeCamera(
  camera: PerspectiveCamera,
  view: CameraView,
  { bounds, distance }: { bounds: ModelBounds; distance: number },
): void {
  const { radius, center } = bounds;
  toCameraDirection(view, camera.position).multiplyScalar(distance).add(view.target);
  camera.lookAt(view.target);
  camera.fov = view.fovY / DEGREE;

  const toCenter = camera.position.distanceTo(center);
  // Three radii, because an animation may move parts out of the bounds.
  camera.near = Math.max(toCenter - 3 * radius, Math.min(distance * 0.05, radius * 0.01));
  camera.far = toCenter + 3 * radius;
  camera.updateProjectionMatrix();
}
