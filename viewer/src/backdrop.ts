import { CanvasTexture, SRGBColorSpace, type Texture } from 'three';
import type { Stage } from './stage.ts';

const PIXELS = 256;

/**
 * The page's background as part of the scene, for designs of glass: what is seen through glass is
 * taken from the scene, and behind a transparent canvas there is nothing but white.
 */
export function standBackdrop(stage: Stage, page: Document): void {
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const paint = () => {
    stage.scene.background = paintBackdrop(page);
    stage.redraw();
  };
  scheme.addEventListener('change', paint);
  paint();
}

/** The same gradient as in page.css, from the same variables. */
function paintBackdrop(page: Document): Texture {
  const canvas = page.createElement('canvas');
  canvas.width = canvas.height = PIXELS;
  const context = canvas.getContext('2d');
  if (context !== null) {
    const style = getComputedStyle(page.body);
    const gradient = context.createRadialGradient(0, 0, 0, 0, 0, 1);
    gradient.addColorStop(0, style.getPropertyValue('--near'));
    gradient.addColorStop(1, style.getPropertyValue('--far'));
    context.setTransform(PIXELS * 0.75, 0, 0, PIXELS * 0.8, PIXELS * 0.5, PIXELS * 0.42);
    context.fillStyle = gradient;
    context.fillRect(-2, -2, 4, 4);
  }
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  return texture;
}
