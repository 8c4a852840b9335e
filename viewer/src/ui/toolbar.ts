/** A menu of names from the file. They are hostile text: shown as text, never as HTML. */
export function populateMenu(
  menu: HTMLSelectElement,
  names: readonly string[],
  onChoose: (index: number) => void,
): void {
  menu.replaceChildren(...names.map((name, index) => new Option(name, String(index))));
  menu.onchange = () => onChoose(menu.selectedIndex);
  menu.hidden = false;
}

/** Shows by its picture and its name what a button would do next. */
export function setToggleState(button: HTMLElement, on: boolean, label: string): void {
  button.dataset.active = String(on);
  button.setAttribute('aria-label', label);
  button.title = label;
}

/** The fullscreen button; it stays away where the host page or the device does not allow it. */
export function mountFullscreenButton(page: Document, button: HTMLButtonElement): void {
  if (!page.fullscreenEnabled) return;
  button.hidden = false;
  button.onclick = () => {
    const change = page.fullscreenElement
      ? page.exitFullscreen()
      : page.documentElement.requestFullscreen();
    // Refused by the browser: nothing has changed, and the button still says so.
    change.catch(() => undefined);
  };
  page.addEventListener('fullscreenchange', () => {
    const on = page.fullscreenElement !== null;
    setToggleState(button, on, on ? 'Leave fullscreen' : 'Fullscreen');
  });
}
