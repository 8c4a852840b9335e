import { createIcon } from './icon.ts';

/** A menu with a label. It is hidden until it is filled. */
export type Menu = {
  element: HTMLElement;
  /** Fills the menu and shows it. The names are untrusted: they are shown as text, never as HTML. */
  populate(names: readonly string[], onSelect: (index: number) => void): void;
};

type MenuOptions = {
  id: string;
  label: string;
  /** SVG path data in a box of 24 by 24. Replaces the texts where they do not fit. */
  icon: string;
};

export function createMenu({ id, label, icon }: MenuOptions): Menu {
  const element = document.createElement('div');
  const labelElement = document.createElement('label');
  const select = document.createElement('select');
  labelElement.textContent = label;
  labelElement.htmlFor = id;
  select.id = id;
  element.id = `${id}-menu`;
  element.className = 'menu';
  element.title = label;
  element.hidden = true;
  element.append(createIcon(icon).element, labelElement, select);
  return {
    element,
    populate(names, onSelect) {
      // The heading of the group is the visible label where the menu is only an icon.
      const group = document.createElement('optgroup');
      group.label = label;
      group.append(...names.map((name, index) => new Option(name, String(index))));
      select.replaceChildren(group);
      select.onchange = () => onSelect(select.selectedIndex);
      element.hidden = false;
    },
  };
}
