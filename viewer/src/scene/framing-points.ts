import {
  FRAMING_POINTS_MEMBER,
  type FramingPoints,
  MAX_FRAMING_COORDINATE,
} from '@cloche/contract/framing-points';
import { type ModelBounds, toModelBounds } from './model-bounds.ts';

/**
 * Returns the bounds of a model from `asset.extras` of its file. Undefined if they are damaged, or not there: files that were written before there were
 * framing points have none, nor has a model that may change its shape.
 */
export function readFramingPoints(extras: unknown): ModelBounds | undefined {
  try {
    const { min, max, points } = (extras as Record<string, FramingPoints>)[
      FRAMING_POINTS_MEMBER
    ] as FramingPoints;
    const bytes = Uint8Array.from(atob(points), (char) => char.charCodeAt(0));
    const coordinates = new Uint16Array(bytes.buffer);
    const positions = Float32Array.from(coordinates, (value, index) => {
      const axis = (index % 3) as 0 | 1 | 2;
      return min[axis] + (value / MAX_FRAMING_COORDINATE) * (max[axis] - min[axis]);
    });
    const isValid =
      positions.length > 0 && positions.length % 3 === 0 && positions.every(Number.isFinite);
    return isValid ? toModelBounds(positions) : undefined;
  } catch {
    return undefined;
  }
}
