import { CanvasTexture, SRGBColorSpace, type Texture } from 'three';
import type { SceneRenderer } from './scene-renderer.ts';

const TEXTURE_SIZE = 256;

/**
 * The page's background as part of the scene, for designs of glass: what is seen through glass is
 * taken from the scene, and behind a transparent canvas there is nothing but white.
 */
export function mountSceneBackground(stage: SceneRenderer, page: Document): void {
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const paint = () => {
    stage.scene.background = createBackgroundTexture(page);
    stage.requestRender();
  };
  scheme.addEventListener('change', paint);
  paint();
}

/** The same gradient as in framed-document.css, from the same variables. */
function createBackgroundTexture(page: Document): Texture {
  const canvas = page.createElement('canvas');
  canvas.width = canvas.height = TEXTURE_SIZE;
  const context = canvas.getContext('2d');
  if (context !== null) {
    const style = getComputedStyle(page.body);
    const gradient = context.createRadialGradient(0, 0, 0, 0, 0, 1);
    gradient.addColorStop(0, style.getPropertyValue('--background-center'));
    gradient.addColorStop(1, style.getPropertyValue('--background-edge'));
    context.setTransform(
      TEXTURE_SIZE * 0.75,
      0,
      0,
      TEXTURE_SIZE * 0.8,
      TEXTURE_SIZE * 0.5,
      TEXTURE_SIZE * 0.42,
    );
    context.fillStyle = gradient;
    context.fillRect(-2, -2, 4, 4);
  }
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  return texture;
}
