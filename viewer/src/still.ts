/** The page that stands for its picture: a script of its own, which no visitor loads. */
import type { Model } from './model.ts';
import { Shadow } from './shadow.ts';
import type { Stage } from './stage.ts';

/** Draws the last frame, as a visitor sees it at rest, and waits until it is on the screen. */
export async function holdStill(page: Document, stage: Stage, { root }: Model): Promise<void> {
  new Shadow(stage, root).appear();
  stage.draw();
  const { documentElement: html, body } = page;
  html.dataset.background = getComputedStyle(body).getPropertyValue('--far').trim();
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
}
