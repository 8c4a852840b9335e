import { translate } from '../i18n/translate.ts';
import type { Viewer } from '../viewer.ts';
import type { ViewerError } from '../viewer-error.ts';
import { showMessage } from './message-overlay.ts';

type ErrorOverlayOptions = {
  document: Document;
  /** Shown in place of the design if there is no WebGL. Untrusted text. */
  description: string | undefined;
};

/**
 * Shows the errors of the viewer: over the whole frame, or as a notice over the preview. It is part of
 * the first script, because a connection error can prevent further scripts from loading.
 */
export function mountErrorOverlay(
  viewer: Viewer,
  { document, description }: ErrorOverlayOptions,
): void {
  viewer.on('error', ({ error }) => {
    if (viewer.state === 'preview') showPreviewNotice(viewer, document, error);
    else showError(viewer, document, error);
    if (error.code === 'no-webgl') showPosterFallback(document, description ?? '');
  });
  viewer.on('statechange', ({ state, previous }) => {
    if (previous === 'failed') hideError(document, state !== 'loading');
  });
}

function showError(viewer: Viewer, document: Document, error: ViewerError): void {
  const overlay = showMessage(document, { title: error.title, detail: error.message });
  setRecoveryButton(overlay.querySelector('button'), error, () => void viewer.retry());
}

function hideError(document: Document, isModelShown: boolean): void {
  for (const id of ['view', ...(isModelShown ? ['toolbar'] : [])]) {
    document.getElementById(id)?.removeAttribute('hidden');
  }
  document.getElementById('error')?.setAttribute('hidden', '');
}

function showPreviewNotice(viewer: Viewer, document: Document, error: ViewerError): void {
  const notice = document.getElementById('preview-notice') as HTMLElement;
  setRecoveryButton(notice.querySelector('button'), error, () => {
    notice.hidden = true;
    void viewer.retry();
  });
  notice.hidden = false;
}

/** Shows the poster, if there is one, with the description of the design as its caption. */
function showPosterFallback(document: Document, description: string): void {
  document.documentElement.dataset.posterFallback = '';
  const element = document.getElementById('description') as HTMLElement;
  element.textContent = description;
  element.hidden = description === '';
}

function setRecoveryButton(
  button: HTMLButtonElement | null,
  { recovery }: ViewerError,
  retry: () => void,
): void {
  if (button === null) return;
  button.hidden = recovery === undefined;
  if (recovery === undefined) return;
  button.textContent = translate(`recovery.${recovery}`);
  button.onclick = recovery === 'retry' ? retry : () => location.reload();
}
