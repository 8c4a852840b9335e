import { type PerspectiveCamera, Vector3 } from 'three';
import { computeDefaultViewAngles } from './default-view-angles.ts';

/** Where the camera stands, whatever the size of the design and the shape of the frame. */
export type CameraView = {
  /** Radians around the vertical; 0 looks at the design's front (+Z), positive from its right (+X). */
  azimuth: number;
  /** Radians above the horizon. */
  elevation: number;
  /** Distance to the target, in distances at which the design just fits the frame. */
  zoom: number;
  /** What the camera looks at and turns around, world space. */
  target: Vector3;
};

/** What is framed: points on the design's surface, and the sphere around them. */
export type ModelBounds = {
  /** x, y, z, x, y, z, … in world space. */
  points: Float32Array;
  center: Vector3;
  /** Extents of the box around the points. */
  size: Vector3;
  radius: number;
};

/** The share of the frame, in each direction, that a design fills at most. */
const MAX_FRAME_FILL = 0.8;

const DEGREE = Math.PI / 180;

/** The frame for which the height of the target is found; it hardly depends on it. */
const NOMINAL_FOV_Y = 30 * DEGREE;
const NOMINAL_ASPECT = 1.5;

/** The view a design is first seen from. */
export function computeDefaultView(outline: ModelBounds): CameraView {
  const { size, center } = outline;
  const view = { ...computeDefaultViewAngles(size), zoom: 1, target: center.clone() };
  for (let pass = 0; pass < 2; pass++) centerVertically(outline, view);
  return view;
}

/**
 * Moves the target up or down until as much is free above the design as below it: seen from above
 * what is near reaches further down. Along the vertical only, so turning around it stays calm.
 */
function centerVertically(outline: ModelBounds, view: CameraView): void {
  const distance = fitDistance(outline, view, NOMINAL_FOV_Y, NOMINAL_ASPECT);
  let top = -Infinity;
  let bottom = Infinity;
  for (const { along, towards } of projectPoints(outline, view)) {
    const slope = along / Math.max(distance - towards, distance * 0.1);
    top = Math.max(top, slope);
    bottom = Math.min(bottom, slope);
  }
  view.target.y += (((top + bottom) / 2) * distance) / Math.cos(view.elevation);
}

/** The direction from the target to the camera. */
export function toCameraDirection(
  { azimuth, elevation }: CameraView,
  into = new Vector3(),
): Vector3 {
  return into.set(
    Math.sin(azimuth) * Math.cos(elevation),
    Math.sin(elevation),
    Math.cos(azimuth) * Math.cos(elevation),
  );
}

/**
 * The distance from `view.target` at which every point of the outline is just inside the frame.
 *
 * The points are projected one by one, so a flat ring and a tall tower both fill the frame, which
 * the sphere around them would not.
 *
 * @param fovY vertical field of view, radians
 * @param aspect width over height
 */
export function fitDistance(
  outline: ModelBounds,
  view: CameraView,
  fovY: number,
  aspect: number,
): number {
  const perHeight = 1 / (Math.tan(fovY / 2) * MAX_FRAME_FILL);
  const perWidth = perHeight / aspect;
  let distance = 0;
  for (const { across, along, towards } of projectPoints(outline, view)) {
    const needed = Math.max(Math.abs(across) * perWidth, Math.abs(along) * perHeight);
    distance = Math.max(distance, towards + needed);
  }
  return Math.max(distance, outline.radius * 1e-2);
}

/** Every point as the camera has it: to its right, upwards, and towards it, from the target. */
function* projectPoints({ points }: ModelBounds, view: CameraView) {
  const stand = toCameraDirection(view);
  const right = new Vector3(Math.cos(view.azimuth), 0, -Math.sin(view.azimuth));
  const up = new Vector3().crossVectors(stand, right);
  const from = { across: 0, along: 0, towards: 0 };
  const { target } = view;
  for (let index = 0; index < points.length; index += 3) {
    const x = (points[index] ?? 0) - target.x;
    const y = (points[index + 1] ?? 0) - target.y;
    const z = (points[index + 2] ?? 0) - target.z;
    from.across = x * right.x + y * right.y + z * right.z;
    from.along = x * up.x + y * up.y + z * up.z;
    from.towards = x * stand.x + y * stand.y + z * stand.z;
    yield from;
  }
}

/** Stands the camera; near and far hug the design, so depth precision is spent on it alone. */
export function placeCamera(
  camera: PerspectiveCamera,
  view: CameraView,
  { outline, distance }: { outline: ModelBounds; distance: number },
): void {
  const { radius, center } = outline;
  toCameraDirection(view, camera.position).multiplyScalar(distance).add(view.target);
  camera.lookAt(view.target);

  const toCentre = camera.position.distanceTo(center);
  // Three radii, because an animation may reach beyond the pose that was measured.
  camera.near = Math.max(toCentre - 3 * radius, Math.min(distance * 0.05, radius * 0.01));
  camera.far = toCentre + 3 * radius;
  camera.updateProjectionMatrix();
}
