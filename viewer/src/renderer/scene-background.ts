import { CanvasTexture, SRGBColorSpace, type Texture } from 'three';
import type { SceneRenderer } from './scene-renderer.ts';

const TEXTURE_SIZE = 256;

/**
 * Draws the background of the page as part of the scene. Transmissive materials need it: they refract
 * the scene only, and would be white in front of a transparent canvas.
 */
export function mountSceneBackground(renderer: SceneRenderer, document: Document): Disposable {
  const { scene } = renderer;
  const background = createBackgroundTexture(document);
  scene.background = background;
  renderer.requestRender();
  return {
    [Symbol.dispose]() {
      background.dispose();
      scene.background = null;
    },
  };
}

/** Draws the gradient of framed-document.css, with the same CSS variables. */
function createBackgroundTexture(document: Document): Texture {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = TEXTURE_SIZE;
  const context = canvas.getContext('2d');
  if (context !== null) {
    const style = getComputedStyle(document.body);
    const gradient = context.createRadialGradient(0, 0, 0, 0, 0, 1);
    gradient.addColorStop(0, style.getPropertyValue('--background-center'));
    gradient.addColorStop(1, style.getPropertyValue('--background-edge'));
    const [scaleX, scaleY, centerX, centerY] = [0.75, 0.8, 0.5, 0.42].map(
      (share) => share * TEXTURE_SIZE,
    ) as [number, number, number, number];
    context.setTransform(scaleX, 0, 0, scaleY, centerX, centerY);
    context.fillStyle = gradient;
    context.fillRect(-2, -2, 4, 4);
  }
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  return texture;
}
