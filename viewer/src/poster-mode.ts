/** Poster mode: the server's own browser loads this script to render a poster. Visitors never load it. */
import { ContactShadow } from './renderer/contact-shadow.ts';
import type { SceneRenderer } from './renderer/scene-renderer.ts';

/** Renders the model with its shadow, and resolves when the picture is on the screen. */
export async function renderPosterFrame(
  renderer: SceneRenderer,
  { documentElement, body }: Document,
): Promise<void> {
  new ContactShadow(renderer, renderer.root).showImmediately();
  renderer.render();
  const background = getComputedStyle(body).getPropertyValue('--background-edge');
  documentElement.dataset.background = background.trim();
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
}
