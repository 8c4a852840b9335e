/** Poster mode: the server's own browser loads this script to render a poster. Visitors never load it. */
import type { SceneRenderer } from './renderer/scene-renderer.ts';

/** Renders the model, and resolves when the picture is on the screen. */
export async function renderPosterFrame(
  renderer: SceneRenderer,
  { documentElement, body }: Document,
): Promise<void> {
  renderer.render();
  const background = getComputedStyle(body).getPropertyValue('--background-edge');
  documentElement.dataset.background = background.trim();
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
}
