import { loadDeferredMessages } from '../i18n/load-deferred-messages.ts';
import { translate } from '../i18n/translate.ts';
import type { Viewer } from '../viewer.ts';
import type { ViewerError } from '../viewer-error.ts';
import { hideMessage, logForAuthor, showMessage } from './message-overlay.ts';

type ErrorOverlayOptions = {
  document: Document;
  /** Shown in place of the design if there is no WebGL. Untrusted text. */
  description: string | undefined;
};

/** A document younger than this has a new grant, also after it was revalidated: another document would not get a better one. */
const MIN_RELOAD_AGE_MS = 60_000;

/**
 * Shows the errors of the viewer: as a message in place of the model, or as a notice over it. It is part of
 * the first script, because a connection error can prevent further scripts from loading.
 */
export function mountErrorOverlay(
  viewer: Viewer,
  { document, description }: ErrorOverlayOptions,
): void {
  viewer.on('error', ({ error }) => {
    const show = () => {
      if (viewer.state !== 'failed') showNotice(viewer, document, error);
      else if (viewer.error === error) showError(viewer, document, error);
    };
    show();
    if (error.code === 'no-webgl') showDescription(document, description ?? '');
    if (!error.hasTexts) void loadDeferredMessages(document).then(show, () => undefined);
    // A document may come into view long after it was loaded.
    if (error.code === 'grant-expired' && performance.now() > MIN_RELOAD_AGE_MS) {
      // The visitor has started it, and must not do so again.
      history.replaceState(null, '', location.href.replace('loading=click', 'loading=eager'));
      document.querySelector<HTMLAnchorElement>('#error a')?.click();
    }
  });
  viewer.on('controlsready', () => {
    if (viewer.error === undefined) getNotice(document).hidden = true;
  });
  viewer.on('contextrestored', () => {
    // The model was loaded again.
    if (viewer.state === 'ready' && viewer.error?.code !== 'controls')
      getNotice(document).hidden = true;
  });
  viewer.on('statechange', ({ state, previous }) => {
    if (previous !== 'failed') return;
    hideMessage(document);
    if (state !== 'loading') document.getElementById('toolbar')?.removeAttribute('hidden');
  });
}

function showError(viewer: Viewer, document: Document, error: ViewerError): void {
  showMessage(document, {
    title: error.title,
    text: error.text,
    code: `viewer.${error.code}`,
    // Until its texts have loaded, only the code.
    advice: error.hasTexts || error.hasEnglishAdvice ? error.advice : '',
    isAdviceEnglish: error.hasEnglishAdvice,
    reloads: error.recovery === 'reload',
    onRetry: error.recovery === 'retry' ? () => void viewer.retry() : undefined,
  });
}

function getNotice(document: Document): HTMLElement {
  return document.getElementById('preview-notice') as HTMLElement;
}

/** Over the preview, if the model could not be loaded; over the model, if the controls could not, or the model not again. */
function showNotice(viewer: Viewer, document: Document, error: ViewerError): void {
  const notice = getNotice(document);
  const find = <T extends HTMLElement>(selector: string) => notice.querySelector(selector) as T;
  const isModelMissing = viewer.state === 'preview' && error.code !== 'controls';
  find('p').textContent = isModelMissing ? translate('previewNotice.text') : error.title;
  find('a').hidden = error.recovery !== 'reload';
  const button = find<HTMLButtonElement>('button');
  button.hidden = error.recovery !== 'retry';
  button.onclick = () => {
    notice.hidden = true;
    void viewer.retry();
  };
  notice.hidden = false;
  logForAuthor({ code: `viewer.${error.code}`, advice: error.advice });
}

/** Shows the description of the design above the message. */
function showDescription(document: Document, description: string): void {
  const element = document.getElementById('description') as HTMLElement;
  element.textContent = description;
}
