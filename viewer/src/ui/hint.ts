const VISIBLE_MS = 2200;
/** How often the same text is shown. After that, the visitor knows it. */
const MAX_TIMES = 3;

/** A short text at the upper edge of the frame. It disappears after a moment and takes no input. */
export class Hint {
  readonly #element: HTMLElement;
  readonly #timesShown = new Map<string, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(element: HTMLElement) {
    this.#element = element;
  }

  /** Shows the text. If it is already visible, the time starts again. */
  show(text: string): void {
    const isVisible = this.#timer !== undefined && this.#element.textContent === text;
    if (!isVisible) {
      const times = (this.#timesShown.get(text) ?? 0) + 1;
      if (times > MAX_TIMES) return;
      this.#timesShown.set(text, times);
      this.#element.textContent = text;
      this.#element.classList.add('visible');
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.hide(), VISIBLE_MS);
  }

  hide(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#element.classList.remove('visible');
  }
}
