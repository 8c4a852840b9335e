/** The extents of a model along x, y and z. */
type BoxSize = { x: number; y: number; z: number };

/**
 * The direction from which a model is first shown, radians. Part of the contract: the viewer places its
 * camera by it, and the service chooses the aspect ratio of the iframe by it.
 */
type ViewAngles = { azimuth: number; elevation: number };

const DEGREE = Math.PI / 180;

/** Returns a three-quarter view. The elevation is lower for towers and higher for flat models. */
export function computeDefaultViewAngles(size: BoxSize): ViewAngles {
  const width = Math.max(size.x, size.z);
  const flatness = width / Math.max(size.y, width * 1e-6);
  const elevation = flatness > 4 ? 38 : flatness > 1.6 ? 24 : flatness < 0.4 ? 10 : 16;
  // A thin model is shown from its broad side, not along its edge.
  const depth = size.z / Math.max(size.x, size.z * 1e-6);
  const azimuth = depth > 4 ? 62 : depth > 2 ? 48 : depth < 0.25 ? 22 : 32;
  return { azimuth: azimuth * DEGREE, elevation: elevation * DEGREE };
}

/** Returns the approximate aspect (width / height) of a box on the screen in its default view. */
export function computeDefaultViewAspect(size: BoxSize): number {
  const { azimuth, elevation } = computeDefaultViewAngles(size);
  const screenWidth = size.x * Math.cos(azimuth) + size.z * Math.sin(azimuth);
  const depth = size.x * Math.sin(azimuth) + size.z * Math.cos(azimuth);
  const screenHeight = size.y * Math.cos(elevation) + depth * Math.sin(elevation);
  return screenWidth / screenHeight;
}
