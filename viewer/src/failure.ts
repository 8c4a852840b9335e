import type { Framed } from '@cloche/contract/framed';
import { type Cure, Trouble, troubles } from './trouble.ts';
import { showWords } from './words.ts';

/** Covers the frame with what went wrong, and offers what the visitor can do about it. */
export function showFailure(
  page: Document,
  { error, framed }: { error: unknown; framed?: Framed },
  retry: () => void,
): void {
  const trouble = asTrouble(error);
  const { title, cure } = troubles[trouble.kind];
  const failure = showWords(page, 'failed', { title, detail: trouble.message });
  offer(page, failure.querySelector('button'), cure, retry);
  if (trouble.kind === 'no-webgl') standIn(page, framed?.design.description ?? '');
}

/** Takes the words away again. */
export function hideFailure(page: Document, state: string): void {
  page.documentElement.dataset.state = state;
  const shown = state === 'ready' || state === 'preview';
  for (const id of ['view', ...(shown ? ['bar'] : [])]) {
    page.getElementById(id)?.removeAttribute('hidden');
  }
  page.getElementById('failure')?.setAttribute('hidden', '');
}

/** Says beside the preview that the model has not come. */
export function showShortfall(page: Document, error: unknown, retry: () => void): void {
  const shortfall = page.getElementById('shortfall') as HTMLElement;
  const { cure } = troubles[asTrouble(error).kind];
  offer(page, shortfall.querySelector('button'), cure, () => {
    shortfall.hidden = true;
    retry();
  });
  shortfall.hidden = false;
}

/** Poster and description stand in for what this device cannot draw. The latter is hostile text. */
function standIn(page: Document, description: string): void {
  page.documentElement.dataset.standIn = '';
  const about = page.getElementById('about') as HTMLElement;
  about.textContent = description;
  about.hidden = description === '';
}

function asTrouble(error: unknown): Trouble {
  return error instanceof Trouble ? error : new Trouble('failed', { cause: error });
}

function offer(
  page: Document,
  button: HTMLButtonElement | null,
  cure: Cure,
  retry: () => void,
): void {
  if (button === null) return;
  button.textContent = cure === 'retry' ? 'Try again' : 'Reload';
  button.onclick = cure === 'retry' ? retry : () => page.location.reload();
  button.hidden = cure === undefined;
}
