import { CanvasTexture, SRGBColorSpace, type Texture } from 'three';
import { paintBackground } from './paint-background.ts';
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

function createBackgroundTexture(document: Document): Texture {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = TEXTURE_SIZE;
  const context = canvas.getContext('2d');
  if (context !== null) paintBackground(context, canvas);
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  return texture;
}
