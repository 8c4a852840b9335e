/** Poster mode: only the server's own browser loads this script, never a visitor. */
import { ContactShadow } from './renderer/contact-shadow.ts';
import type { SceneRenderer } from './renderer/scene-renderer.ts';

/** Renders the frame that a visitor sees at rest and waits until it is on the screen. */
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
