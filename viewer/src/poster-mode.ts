/** Poster mode: the server's own browser loads this script to render a poster. Visitors never load it. */
import type { Object3D } from 'three';
import type { SceneRenderer } from './renderer/scene-renderer.ts';

/** A poster may be smaller than the frame that it is shown in: its edges are transparent, where a shadow would end. */
const EDGES = ['90deg', '180deg'].map(
  (direction) => `linear-gradient(${direction}, transparent, #000 5% 95%, transparent)`,
);

/** Prepares the page for screenshots, and resolves when the model, which has been drawn, is on the screen. */
export async function showPosterFrame(
  renderer: SceneRenderer,
  { documentElement, body }: Document,
): Promise<void> {
  Object.assign(renderer.canvas.style, { maskImage: EDGES.join(), maskComposite: 'intersect' });
  const background = getComputedStyle(body).getPropertyValue('--background-edge');
  documentElement.dataset.background = background.trim();
  if (hasThinShapes(renderer.root)) documentElement.dataset.thinShapes = '';
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
}

/** Points and lines: they are a pixel wide, in a picture of any size. */
function hasThinShapes(root: Object3D): boolean {
  let isFound = false;
  root.traverse((object) => {
    isFound ||= 'isPoints' in object || 'isLine' in object;
  });
  return isFound;
}
