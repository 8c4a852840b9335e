import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { type Recovery, ViewerError, viewerErrors } from '../viewer-error.ts';
import { showMessage } from './message-overlay.ts';

/** Covers the frame with what went wrong, and offers what the visitor can do about it. */
export function showError(
  page: Document,
  { error, framed }: { error: unknown; framed?: ViewerConfig },
  retry: () => void,
): void {
  const trouble = toViewerError(error);
  const { title, cure } = viewerErrors[trouble.code];
  const failure = showMessage(page, 'failed', { title, detail: trouble.message });
  setRecoveryButton(page, failure.querySelector('button'), cure, retry);
  if (trouble.code === 'no-webgl') showPosterFallback(page, framed?.design.description ?? '');
}

/** Takes the words away again. */
export function hideError(page: Document, state: string): void {
  page.documentElement.dataset.state = state;
  const shown = state === 'ready' || state === 'preview';
  for (const id of ['view', ...(shown ? ['toolbar'] : [])]) {
    page.getElementById(id)?.removeAttribute('hidden');
  }
  page.getElementById('error')?.setAttribute('hidden', '');
}

/** Says beside the preview that the model has not come. */
export function showPreviewOnlyNotice(page: Document, error: unknown, retry: () => void): void {
  const shortfall = page.getElementById('preview-notice') as HTMLElement;
  const { cure } = viewerErrors[toViewerError(error).code];
  setRecoveryButton(page, shortfall.querySelector('button'), cure, () => {
    shortfall.hidden = true;
    retry();
  });
  shortfall.hidden = false;
}

/** Poster and description stand in for what this device cannot draw. The latter is hostile text. */
function showPosterFallback(page: Document, description: string): void {
  page.documentElement.dataset.posterFallback = '';
  const about = page.getElementById('description') as HTMLElement;
  about.textContent = description;
  about.hidden = description === '';
}

function toViewerError(error: unknown): ViewerError {
  return error instanceof ViewerError ? error : new ViewerError('failed', { cause: error });
}

function setRecoveryButton(
  page: Document,
  button: HTMLButtonElement | null,
  cure: Recovery,
  retry: () => void,
): void {
  if (button === null) return;
  button.textContent = cure === 'retry' ? 'Try again' : 'Reload';
  button.onclick = cure === 'retry' ? retry : () => page.location.reload();
  button.hidden = cure === undefined;
}
