import type { BoundingBox, ModelLevels } from '@cloche/contract/viewer-config';
import { ViewCamera } from '../camera/view-camera.ts';
import { toModelBounds } from '../scene/model-bounds.ts';

/** A texture pack of a model. */
export type TexturePack = ModelLevels['textures'][number];

/** How large a model is on the screen. */
export type ModelScale = {
  /** In device pixels. */
  metersPerPixel: number;
  /** Longest side of the model, in meters. */
  longestSide: number;
};

/** Returns the smallest pack with as many pixels on the surface as the screen, or the largest pack. */
export function selectTexturePack(
  { textures, uvPerMeter }: ModelLevels,
  { metersPerPixel, longestSide }: ModelScale,
): TexturePack | undefined {
  // If the density is not known: as if a texture covered the model once.
  const sharpSize = 1 / (metersPerPixel * (uvPerMeter ?? 1 / longestSide));
  return textures.find(({ size }) => size >= sharpSize) ?? textures.at(-1);
}

/** Computes the scale of a model in its default view, as if it filled its bounding box. */
export function estimateModelScale(
  { min, max }: BoundingBox,
  { clientWidth, clientHeight }: { clientWidth: number; clientHeight: number },
  pixelRatio: number,
): ModelScale {
  const corners: number[] = [];
  for (const [x] of [min, max])
    for (const [, y] of [min, max]) for (const [, , z] of [min, max]) corners.push(x, y, z);
  const bounds = toModelBounds(new Float32Array(corners));
  const viewCamera = new ViewCamera();
  viewCamera.resize(clientWidth, clientHeight);
  viewCamera.frameModel(bounds);
  return {
    metersPerPixel: viewCamera.unitsPerPixel / pixelRatio,
    longestSide: Math.max(...bounds.size.toArray()),
  };
}
