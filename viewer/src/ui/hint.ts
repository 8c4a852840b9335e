const VISIBLE_MS = 1400;

/** A short text at the upper edge of the frame. It disappears after a moment. */
export class Hint {
  readonly #element: HTMLElement;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(element: HTMLElement) {
    this.#element = element;
  }

  /** Shows the text. If the hint is already visible, the time starts again. */
  show(text: string): void {
    this.#element.textContent = text;
    this.#element.classList.add('visible');
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#element.classList.remove('visible'), VISIBLE_MS);
  }
}
