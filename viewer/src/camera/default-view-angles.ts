/** The extents of a design along x, y and z. */
type BoxSize = { x: number; y: number; z: number };

/** Where a design is first seen from, radians; apart, because the boot script has no three.js. */
export type ViewAngles = { azimuth: number; elevation: number };

const DEGREE = Math.PI / 180;

/** Three quarters, lower for towers, higher for what lies flat. */
export function computeDefaultViewAngles(size: BoxSize): ViewAngles {
  const floor = Math.max(size.x, size.z);
  const flatness = floor / Math.max(size.y, floor * 1e-6);
  const elevation = flatness > 4 ? 38 : flatness > 1.6 ? 24 : flatness < 0.4 ? 10 : 16;
  // A thin thing is seen from its broad side, not along its edge.
  const depth = size.z / Math.max(size.x, size.z * 1e-6);
  const azimuth = depth > 4 ? 62 : depth > 2 ? 48 : depth < 0.25 ? 22 : 32;
  return { azimuth: azimuth * DEGREE, elevation: elevation * DEGREE };
}

/** About how much wider than high a box is when it is first seen. */
export function computeDefaultViewAspect(size: BoxSize): number {
  const { azimuth, elevation } = computeDefaultViewAngles(size);
  const across = size.x * Math.cos(azimuth) + size.z * Math.sin(azimuth);
  const inwards = size.x * Math.sin(azimuth) + size.z * Math.cos(azimuth);
  const along = size.y * Math.cos(elevation) + inwards * Math.sin(elevation);
  return across / along;
}
