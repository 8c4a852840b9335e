/** The id of the element that says what the keys do. options/interaction.ts writes its text. */
export const KEYBOARD_HELP_ID = 'help';

/** Adds the elements of the controls after the 3D view. Without their script, they would be empty, so the document has none. */
export function addControlElements(view: HTMLElement) {
  const { ownerDocument: document, parentElement } = view;
  const main = parentElement as HTMLElement;
  const create = (tag: 'p' | 'div', properties: Partial<HTMLElement>) =>
    Object.assign(document.createElement(tag), properties);
  const help = create('p', { id: KEYBOARD_HELP_ID, className: 'visually-hidden' });
  const hint = create('p', { id: 'hint', ariaHidden: 'true' });
  const liveRegion = create('p', { id: 'live-region', className: 'visually-hidden' });
  liveRegion.setAttribute('role', 'status');
  const toolbar = create('div', { id: 'toolbar', hidden: true });
  view.after(help);
  main.append(hint, liveRegion, toolbar);
  return { main, hint, liveRegion, toolbar };
}
