/**
 * The light of a photo studio, as a function of direction: a soft ambient light and a few panels.
 *
 * The light is neutral white, so that a model keeps its colors. Y is up and the camera starts at +Z:
 * azimuth 0 is behind the camera, positive to the right. Angles are in degrees.
 */

/** A unit vector. */
export type Direction = readonly [x: number, y: number, z: number];

type LightPanel = {
  azimuth: number;
  elevation: number;
  /** Half extents on the tangent plane of the unit sphere at the panel's center. */
  width: number;
  height: number;
  radiance: number;
};

const DEGREE = Math.PI / 180;

/** The fraction of a panel's half extent over which its light fades out. */
const SOFT_EDGE = 0.38;

const PANELS: readonly LightPanel[] = [
  // Key light, front left and high: shows the shape.
  { azimuth: -42, elevation: 44, width: 0.62, height: 0.5, radiance: 9.5 },
  // Fill light, a tall strip on the right: a long highlight on curved surfaces.
  { azimuth: 74, elevation: 18, width: 0.26, height: 0.8, radiance: 4.2 },
  // Two rim lights from behind: they separate the model from the background.
  { azimuth: 152, elevation: 30, width: 0.3, height: 0.6, radiance: 5 },
  { azimuth: -145, elevation: 22, width: 0.22, height: 0.7, radiance: 3.6 },
  // Top light, large and even.
  { azimuth: 0, elevation: 88, width: 0.9, height: 0.7, radiance: 2.6 },
];

/** The ambient radiance from below, from the horizon and from above. */
const AMBIENT_RADIANCE = { floor: 0.34, horizon: 0.55, ceiling: 0.8 };

const placedPanels = PANELS.map(placePanel);

/** Returns the radiance from a direction, not normalized. */
export function computeRadiance(direction: Direction): number {
  let sum = ambientRadiance(direction[1]);
  for (const panel of placedPanels) sum += panel.radiance * coverage(panel, direction);
  return sum;
}

function ambientRadiance(y: number): number {
  const end = y < 0 ? AMBIENT_RADIANCE.floor : AMBIENT_RADIANCE.ceiling;
  return (
    AMBIENT_RADIANCE.horizon + (end - AMBIENT_RADIANCE.horizon) * smoothstep(Math.abs(y) / 0.9)
  );
}

type PlacedPanel = LightPanel & { center: Direction; right: Direction; up: Direction };

function placePanel(panel: LightPanel): PlacedPanel {
  const [a, e] = [panel.azimuth * DEGREE, panel.elevation * DEGREE];
  return {
    ...panel,
    center: [Math.sin(a) * Math.cos(e), Math.sin(e), Math.cos(a) * Math.cos(e)],
    right: [Math.cos(a), 0, -Math.sin(a)],
    up: [-Math.sin(a) * Math.sin(e), Math.cos(e), -Math.cos(a) * Math.sin(e)],
  };
}

/** Returns how much a panel covers a direction, 0 to 1. The edges are soft. */
function coverage(panel: PlacedPanel, direction: Direction): number {
  const depth = dot(direction, panel.center);
  if (depth <= 0.05) return 0;
  const x = Math.abs(dot(direction, panel.right) / depth) / panel.width;
  const y = Math.abs(dot(direction, panel.up) / depth) / panel.height;
  return smoothstep((1 - x) / SOFT_EDGE + 0.5) * smoothstep((1 - y) / SOFT_EDGE + 0.5);
}

function dot(a: Direction, b: Direction): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function smoothstep(value: number): number {
  const t = Math.min(Math.max(value, 0), 1);
  return t * t * (3 - 2 * t);
}
