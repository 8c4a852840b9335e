import { hideFailure, showFailure } from './failure.ts';
import type { Stage } from './stage.ts';
import { Trouble } from './trouble.ts';

/** Browsers that give the context back do so within a moment. */
const PATIENCE_MS = 4000;

/**
 * Keeps the picture over a lost WebGL context. three.js asks for the context back and uploads
 * everything again; here is what remains: draw, or say that it has not come.
 */
export function surviveLoss(page: Document, stage: Stage, onRestored: () => void): void {
  let patience: ReturnType<typeof setTimeout> | undefined;
  let state = 'ready';

  stage.canvas.addEventListener('webglcontextlost', () => {
    patience = setTimeout(() => {
      state = page.documentElement.dataset.state ?? state;
      showFailure(page, { error: new Trouble('lost') }, () => {});
    }, PATIENCE_MS);
  });
  stage.canvas.addEventListener('webglcontextrestored', () => {
    clearTimeout(patience);
    if (page.documentElement.dataset.state === 'failed') hideFailure(page, state);
    onRestored();
    stage.redraw();
  });
}
