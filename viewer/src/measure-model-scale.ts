import type { ModelScale } from './loader/select-texture-pack.ts';
import { getPixelRatio } from './pixel-ratio.ts';
import type { SceneRenderer } from './renderer/scene-renderer.ts';

/** Measures how large the model is on the screen. @param zoom to which the camera moves; default: where it is */
export function measureModelScale({ viewCamera }: SceneRenderer, zoom?: number): ModelScale {
  const { unitsPerPixel, bounds, view } = viewCamera;
  const cssScale = unitsPerPixel * ((zoom ?? view.zoom) / view.zoom);
  return {
    metersPerPixel: cssScale / getPixelRatio(),
    longestSide: Math.max(...bounds.size.toArray()),
  };
}
