/** What a visitor reads in place of the design. */
export type OverlayMessage = { title: string; detail: string };

/** Covers the frame with words; `state` is what hosts and tests see on the document. */
export function showMessage(
  page: Document,
  state: 'failed' | 'refused',
  words: OverlayMessage,
): HTMLElement {
  page.documentElement.dataset.state = state;
  const failure = page.getElementById('error') as HTMLElement;
  const [title, detail, button] = failure.children as unknown as HTMLElement[];
  if (title) title.textContent = words.title;
  if (detail) detail.textContent = words.detail;
  if (button) button.hidden = true;
  failure.hidden = false;
  for (const id of ['view', 'toolbar']) page.getElementById(id)?.setAttribute('hidden', '');
  return failure;
}
