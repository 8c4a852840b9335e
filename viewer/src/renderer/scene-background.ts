import { CanvasTexture, SRGBColorSpace, type Texture } from 'three';
import { paintBackground } from './paint-background.ts';
import type { SceneRenderer } from './scene-renderer.ts';

const TEXTURE_SIZE = 256;

export type SceneBackground = Disposable & {
  /** Draws the background that the style sheet has now. */
  update(): void;
};

/**
 * Draws the background of the page as part of the scene. Transmissive materials need it: they refract
 * the scene only, and would be white in front of a transparent canvas. A transparent background is not drawn: then they
 * are half transparent, and the page around the frame is visible through them.
 */
export function mountSceneBackground(renderer: SceneRenderer, document: Document): SceneBackground {
  const { scene } = renderer;
  const { dataset } = document.documentElement;
  const darkMode = matchMedia('(prefers-color-scheme: dark)');
  const update = () => {
    (scene.background as Texture | null)?.dispose();
    const isTransparent = dataset.ownBackground === 'transparent';
    scene.background = isTransparent ? null : createBackgroundTexture(document);
    renderer.requestRender();
  };
  update();
  darkMode.addEventListener('change', update);
  return {
    update,
    [Symbol.dispose]() {
      darkMode.removeEventListener('change', update);
      (scene.background as Texture | null)?.dispose();
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
