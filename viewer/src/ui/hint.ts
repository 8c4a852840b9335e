const VISIBLE_MS = 3000;

/** A short text at the upper edge of the frame. Each is shown once. It disappears after a moment and takes no input. */
export class Hint {
  readonly #element: HTMLElement;
  readonly #shown = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(element: HTMLElement) {
    this.#element = element;
  }

  /** Shows the text. If it is already visible, the time starts again. */
  show(text: string): void {
    const isVisible = this.#timer !== undefined && this.#element.textContent === text;
    if (!isVisible) {
      if (this.#shown.has(text)) return;
      this.#shown.add(text);
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
