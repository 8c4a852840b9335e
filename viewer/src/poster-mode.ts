/** The page that stands for its picture: a script of its own, which no visitor loads. */
import type { ParsedModel } from './loader/parse-model.ts';
import { ContactShadow } from './renderer/contact-shadow.ts';
import type { SceneRenderer } from './renderer/scene-renderer.ts';

/** Draws the last frame, as a visitor sees it at rest, and waits until it is on the screen. */
export async function renderPosterFrame(
  page: Document,
  stage: SceneRenderer,
  { root }: ParsedModel,
): Promise<void> {
  new ContactShadow(stage, root).showImmediately();
  stage.render();
  const { documentElement: html, body } = page;
  html.dataset.background = getComputedStyle(body).getPropertyValue('--background-edge').trim();
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
}
