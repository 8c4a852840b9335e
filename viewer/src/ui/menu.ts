/** Fills a menu with names from the file. They are untrusted: shown as text, never as HTML. */
export function populateMenu(
  menu: HTMLSelectElement,
  names: readonly string[],
  onSelect: (index: number) => void,
): void {
  menu.replaceChildren(...names.map((name, index) => new Option(name, String(index))));
  menu.onchange = () => onSelect(menu.selectedIndex);
  menu.hidden = false;
}
