/**
 * The keyboard pattern of a toolbar (WAI-ARIA Authoring Practices): one stop for the Tab key, and the arrow keys, Home and
 * End move the focus inside.
 */
export class RovingFocus {
  readonly #toolbar: HTMLElement;
  #current: Element | undefined;

  constructor(toolbar: HTMLElement) {
    this.#toolbar = toolbar;
    toolbar.addEventListener('focusin', ({ target }) => {
      this.#current = target as Element;
      this.update();
    });
    toolbar.addEventListener('keydown', (event) => this.#onKeyDown(event));
  }

  /** Must be called after the buttons of the toolbar have changed. */
  update(): void {
    const buttons = this.#buttons;
    const current = buttons.find((button) => button === this.#current) ?? buttons[0];
    for (const button of buttons) button.tabIndex = button === current ? 0 : -1;
  }

  get #buttons(): HTMLButtonElement[] {
    return [...this.#toolbar.querySelectorAll('button')];
  }

  #onKeyDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const buttons = this.#buttons;
    const isRightToLeft = getComputedStyle(this.#toolbar).direction === 'rtl';
    const index = buttons.indexOf(event.target as HTMLButtonElement);
    const next = findNextIndex(event.key, { index, count: buttons.length, isRightToLeft });
    if (next === undefined) return;
    event.preventDefault();
    buttons[next]?.focus();
  }
}

type Position = { index: number; count: number; isRightToLeft: boolean };

/** Returns the index that a key moves to, around the ends. Undefined for other keys. */
export function findNextIndex(
  key: string,
  { index, count, isRightToLeft }: Position,
): number | undefined {
  const forward = isRightToLeft ? 'ArrowLeft' : 'ArrowRight';
  const backward = isRightToLeft ? 'ArrowRight' : 'ArrowLeft';
  if (key === forward) return (index + 1) % count;
  if (key === backward) return (index - 1 + count) % count;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  return undefined;
}
