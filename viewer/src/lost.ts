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

  stage.canvas.addEventListener('webglcontextlost', () => {
    patience = setTimeout(() => showFailure(page, new Trouble('lost'), () => {}), PATIENCE_MS);
  });
  stage.canvas.addEventListener('webglcontextrestored', () => {
    clearTimeout(patience);
    hideFailure(page, 'ready');
    onRestored();
    stage.redraw();
  });
}
