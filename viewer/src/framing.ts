import { type PerspectiveCamera, Vector3 } from 'three';

/** Where the camera stands, whatever the size of the design and the shape of the frame. */
export type View = {
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
export type Outline = {
  /** x, y, z, x, y, z, … in world space. */
  points: Float32Array;
  centre: Vector3;
  /** Extents of the box around the points. */
  size: Vector3;
  radius: number;
};

/** The share of the frame, in each direction, that a design fills at most. */
const FILL = 0.8;

const DEGREE = Math.PI / 180;

/** The view a design is first seen from: three quarters, lower for towers, higher for what lies flat. */
export function homeView({ size, centre }: Outline): View {
  const floor = Math.max(size.x, size.z);
  const flatness = floor / Math.max(size.y, floor * 1e-6);
  const elevation = flatness > 4 ? 38 : flatness > 1.6 ? 24 : flatness < 0.4 ? 10 : 16;
  // A thin thing is seen from its broad side, not along its edge.
  const depth = size.z / Math.max(size.x, size.z * 1e-6);
  const azimuth = depth > 4 ? 62 : depth > 2 ? 48 : depth < 0.25 ? 22 : 32;
  return {
    azimuth: azimuth * DEGREE,
    elevation: elevation * DEGREE,
    zoom: 1,
    target: centre.clone(),
  };
}

/** The direction from the target to the camera. */
export function standDirection({ azimuth, elevation }: View, into = new Vector3()): Vector3 {
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
export function fitDistance(outline: Outline, view: View, fovY: number, aspect: number): number {
  const stand = standDirection(view);
  const right = new Vector3(Math.cos(view.azimuth), 0, -Math.sin(view.azimuth));
  const up = new Vector3().crossVectors(stand, right);
  const perHeight = 1 / (Math.tan(fovY / 2) * FILL);
  const perWidth = perHeight / aspect;
  const { x: tx, y: ty, z: tz } = view.target;

  let distance = 0;
  const { points } = outline;
  for (let index = 0; index < points.length; index += 3) {
    const x = (points[index] ?? 0) - tx;
    const y = (points[index + 1] ?? 0) - ty;
    const z = (points[index + 2] ?? 0) - tz;
    const towards = x * stand.x + y * stand.y + z * stand.z;
    const across = Math.abs(x * right.x + y * right.y + z * right.z) * perWidth;
    const along = Math.abs(x * up.x + y * up.y + z * up.z) * perHeight;
    distance = Math.max(distance, towards + Math.max(across, along));
  }
  return Math.max(distance, outline.radius * 1e-2);
}

/** Stands the camera; near and far hug the design, so depth precision is spent on it alone. */
export function placeCamera(
  camera: PerspectiveCamera,
  view: View,
  { outline, distance }: { outline: Outline; distance: number },
): void {
  const { radius, centre } = outline;
  standDirection(view, camera.position).multiplyScalar(distance).add(view.target);
  camera.lookAt(view.target);

  const toCentre = camera.position.distanceTo(centre);
  // Three radii, because an animation may reach beyond the pose that was measured.
  camera.near = Math.max(toCentre - 3 * radius, Math.min(distance * 0.05, radius * 0.01));
  camera.far = toCentre + 3 * radius;
  camera.updateProjectionMatrix();
}
