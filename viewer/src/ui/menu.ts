/** Fills a menu and shows it. The names are untrusted: they are shown as text, never as HTML. */
export function populateMenu(
  menu: HTMLSelectElement,
  names: readonly string[],
  onSelect: (index: number) => void,
): void {
  menu.replaceChildren(...names.map((name, index) => new Option(name, String(index))));
  menu.onchange = () => onSelect(menu.selectedIndex);
  menu.hidden = false;
}
