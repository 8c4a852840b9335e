import type { CameraView } from './framing.ts';

/** The smallest and the largest value. */
type Range = readonly [low: number, high: number];

/** The views that the camera can reach. In the units of `CameraView`. */
export type ViewLimits = { azimuth: Range; elevation: Range; zoom: Range };

const MAX_ELEVATION = (89 * Math.PI) / 180;

export const DEFAULT_LIMITS: ViewLimits = {
  azimuth: [-Infinity, Infinity],
  elevation: [-MAX_ELEVATION, MAX_ELEVATION],
  zoom: [0.02, 4],
};

/** Moves a view into the limits. */
export function limitView(view: CameraView, limits: ViewLimits): void {
  for (const name of ['azimuth', 'elevation', 'zoom'] as const) {
    const [low, high] = limits[name];
    view[name] = Math.min(Math.max(view[name], low), high);
  }
}
