const VISIBLE_MS = 1400;

/** A word at the upper edge that goes away by itself. */
export class Hint {
  readonly #element: HTMLElement;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(element: HTMLElement) {
    this.#element = element;
  }

  show(words: string): void {
    this.#element.textContent = words;
    this.#element.classList.add('visible');
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#element.classList.remove('visible'), VISIBLE_MS);
  }
}
