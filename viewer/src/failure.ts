import { Trouble, troubles } from './trouble.ts';
import { showWords } from './words.ts';

/** Covers the frame with what went wrong, and offers what the visitor can do about it. */
export function showFailure(page: Document, error: unknown, retry: () => void): void {
  const trouble = error instanceof Trouble ? error : new Trouble('failed', { cause: error });
  const { title, cure } = troubles[trouble.kind];
  const failure = showWords(page, 'failed', { title, detail: trouble.message });

  const button = failure.querySelector('button');
  if (button === null || cure === undefined) return;
  button.textContent = cure === 'retry' ? 'Try again' : 'Reload';
  button.onclick = cure === 'retry' ? retry : () => page.location.reload();
  button.hidden = false;
}

/** Takes the words away again. */
export function hideFailure(page: Document, state: 'loading' | 'ready'): void {
  page.documentElement.dataset.state = state;
  for (const id of ['view', ...(state === 'ready' ? ['bar'] : [])]) {
    page.getElementById(id)?.removeAttribute('hidden');
  }
  page.getElementById('failure')?.setAttribute('hidden', '');
}
