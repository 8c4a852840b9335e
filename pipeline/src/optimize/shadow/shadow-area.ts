import type { ContactShadow } from '@cloche/contract/contact-shadow';
import type { BoundingBox } from '@cloche/contract/viewer-config';

/** The image extends beyond the model by this share of the footprint, so that the shadow can fade. */
const MARGIN = 0.45;
/** The footprint is at least this share of the model's radius: that of a pole must be visible. */
const MIN_FOOTPRINT = 0.05;
/** The distance of the ground from the model, relative to its radius: they must not flicker. */
const GROUND_DISTANCE = 2e-3;
/** The longest side of the image. */
const MAX_TEXELS = 256;

/** The ground below a model, and the size of its image. */
export type ShadowArea = Pick<ContactShadow, 'rectangle' | 'y'> & {
  /** The diagonal of the model's base, in meters. */
  footprint: number;
  texelsPerMeter: number;
  /** The size of the image along x, texels. */
  width: number;
  /** The size of the image along z, texels. */
  depth: number;
};

/** Returns the ground below a box; undefined if the box is a point, or too large to compute with. */
export function computeShadowArea({ min, max }: BoundingBox): ShadowArea | undefined {
  const [sizeX, sizeY, sizeZ] = [max[0] - min[0], max[1] - min[1], max[2] - min[2]];
  const radius = Math.hypot(sizeX, sizeY, sizeZ) / 2;
  const footprint = Math.max(Math.hypot(sizeX, sizeZ), radius * MIN_FOOTPRINT);
  const margin = footprint * MARGIN;
  const texelsPerMeter = MAX_TEXELS / (Math.max(sizeX, sizeZ) + 2 * margin);
  const y = min[1] - radius * GROUND_DISTANCE;
  const toTexels = (size: number) =>
    Math.min(Math.ceil((size + 2 * margin) * texelsPerMeter), MAX_TEXELS);
  const [width, depth] = [toTexels(sizeX), toTexels(sizeZ)];
  const [minX, minZ] = [min[0] - margin, min[2] - margin];
  const [maxX, maxZ] = [minX + width / texelsPerMeter, minZ + depth / texelsPerMeter];
  if (!(radius > 0) || ![minX, minZ, maxX, maxZ, y].every(Number.isFinite)) return undefined;
  return { rectangle: [minX, minZ, maxX, maxZ], y, footprint, texelsPerMeter, width, depth };
}
