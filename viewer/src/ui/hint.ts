const VISIBLE_MS = 1400;

/** A short text at the upper edge that disappears by itself. */
export class Hint {
  readonly #element: HTMLElement;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(element: HTMLElement) {
    this.#element = element;
  }

  /** Shows the text; again, from the start, when it is visible already. */
  show(text: string): void {
    this.#element.textContent = text;
    this.#element.classList.add('visible');
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#element.classList.remove('visible'), VISIBLE_MS);
  }
}
