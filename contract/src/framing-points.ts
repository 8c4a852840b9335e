/**
 * A few vertices of a model that reach nearly as far as all of them, in every direction: enough to frame it. The pipeline finds them once, and writes
 * them into each GLB, so that the viewer need not measure all vertices before the first frame. In the space of the scene. Has no dependencies: the
 * viewer imports it.
 */
export type FramingPoints = {
  /** The box around the model, in meters. */
  min: [number, number, number];
  max: [number, number, number];
  /** Base64 of little-endian 16-bit integers: x, y, z, x, y, z, … from 0 at `min` to 65535 at `max`. */
  points: string;
};

/** The member of `asset.extras` of a GLB that contains the `FramingPoints`. */
export const FRAMING_POINTS_MEMBER = 'clocheFramingPoints';

/** The value of a coordinate at `max`. */
export const MAX_FRAMING_COORDINATE = 65_535;
