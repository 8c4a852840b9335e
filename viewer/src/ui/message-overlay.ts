/** The text that a visitor reads in place of the design. */
type OverlayMessage = { title: string; detail: string };

/** Covers the frame with a message, and hides the view and the toolbar. Returns the overlay. */
export function showMessage(document: Document, message: OverlayMessage): HTMLElement {
  const overlay = document.getElementById('error') as HTMLElement;
  const [title, detail, button] = overlay.children as unknown as HTMLElement[];
  if (title) title.textContent = message.title;
  if (detail) detail.textContent = message.detail;
  if (button) button.hidden = true;
  overlay.hidden = false;
  for (const id of ['view', 'toolbar']) document.getElementById(id)?.setAttribute('hidden', '');
  return overlay;
}
