import { hideError, showError } from '../ui/error-overlay.ts';
import { ViewerError } from '../viewer-error.ts';
import type { SceneRenderer } from './scene-renderer.ts';

/** Browsers that give the context back do so within a moment. */
const RESTORE_TIMEOUT_MS = 4000;

/**
 * Keeps the picture over a lost WebGL context. three.js asks for the context back and uploads
 * everything again; here is what remains: draw, or say that it has not come.
 */
export function handleContextLoss(
  page: Document,
  stage: SceneRenderer,
  onRestored: () => void,
): void {
  let patience: ReturnType<typeof setTimeout> | undefined;
  let state = 'ready';

  stage.canvas.addEventListener('webglcontextlost', () => {
    patience = setTimeout(() => {
      state = page.documentElement.dataset.state ?? state;
      showError(page, { error: new ViewerError('context-lost') }, () => {});
    }, RESTORE_TIMEOUT_MS);
  });
  stage.canvas.addEventListener('webglcontextrestored', () => {
    clearTimeout(patience);
    if (page.documentElement.dataset.state === 'failed') hideError(page, state);
    onRestored();
    stage.requestRender();
  });
}
