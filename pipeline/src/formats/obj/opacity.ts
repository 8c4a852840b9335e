import { clamp01 } from '../../mesh/color.ts';

/**
 * Returns the opacity of an MTL material, from `d` (1 is opaque) or else from `Tr`, which programs
 * write with opposite meanings:
 *
 *   program                            `d`             `Tr`
 *   Blender, Rhino, Maya               opacity         not written
 *   3ds Max                            opacity         1 - opacity: `Tr 0` is opaque
 *   MeshLab, openMVS, OpenDroneMap     not written     opacity: `Tr 1` is opaque
 *   Wavefront's own format             opacity         not part of it
 *
 * No program exports a material that is invisible, so both `Tr 0` and `Tr 1` mean opaque. A value
 * between them is read as by most programs, as 1 - opacity.
 */
export function getOpacity(d: number | undefined, tr: number | undefined): number {
  if (d !== undefined) return clamp01(d);
  return tr === undefined || tr >= 1 ? 1 : clamp01(1 - tr);
}
