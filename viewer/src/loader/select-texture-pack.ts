import { MAX_FIRST_IMAGE_SIZE } from '@cloche/contract/texture-sizes';
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

/** So many pixels of the screen may show one of a texture, where its coordinates are stretched most: that looks sharp, too. */
const MAX_STRETCH = 1.1;

/**
 * The box around a model is larger than the model, which is therefore shown larger than the box would be: by 2 to 18 %, seen with
 * helmet, bottle, fox and tower in four frames.
 */
const BOX_EXCESS = 1.1;

/**
 * Returns the smallest pack with about as many pixels on the surface as the screen, or the largest pack, of those that the device
 * can have.
 *
 * @param scale undefined if it is not known how large the model is
 * @param fits whether the device can have a pack; up to `MAX_FIRST_IMAGE_SIZE`, all devices can have it
 */
export function selectTexturePack(
  { textures, uvPerMeter }: ModelLevels,
  scale: ModelScale | undefined,
  fits: (pack: TexturePack) => boolean = () => false,
): TexturePack | undefined {
  const fitting = textures.filter(
    (pack) => (pack.imageSize ?? pack.size) <= MAX_FIRST_IMAGE_SIZE || fits(pack),
  );
  const sharp =
    scale && fitting.find(({ size }) => MAX_STRETCH * size >= getSharpSize(scale, uvPerMeter));
  return sharp ?? fitting.at(-1) ?? textures[0];
}

/** If the density is not known: as if a texture covered the model once. */
function getSharpSize({ metersPerPixel, longestSide }: ModelScale, uvPerMeter?: number): number {
  return 1 / (metersPerPixel * (uvPerMeter ?? 1 / longestSide));
}

/** Estimates the scale of a model in its default view by its bounding box. */
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
    metersPerPixel: viewCamera.unitsPerPixel / pixelRatio / BOX_EXCESS,
    longestSide: Math.max(...bounds.size.toArray()),
  };
}
