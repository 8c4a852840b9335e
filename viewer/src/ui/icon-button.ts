import { createIcon } from './icon.ts';

export type IconButton = {
  button: HTMLButtonElement;
  /** @param pathData SVG path data in a box of 24 by 24 */
  setIcon(pathData: string): void;
  /** Sets the accessible name, which is also the text of the button where it has room for it. */
  setLabel(text: string): void;
};

/** Creates a button with an icon. The style sheet shows its text where it has room for it. */
export function createIconButton(id: string | undefined, pathData = ''): IconButton {
  const button = document.createElement('button');
  const icon = createIcon(pathData);
  const label = document.createElement('span');
  label.className = 'label';
  if (id !== undefined) button.id = id;
  button.type = 'button';
  button.append(icon.element, label);
  return {
    button,
    setIcon: icon.setPath,
    setLabel(text) {
      if (label.textContent === text) return;
      label.textContent = text;
      button.title = text;
      button.setAttribute('aria-label', text);
    },
  };
}
