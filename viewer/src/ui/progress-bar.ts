/** The bar under the name. The page shows it by itself once loading takes noticeable time. */
export class ProgressBar {
  readonly #element: HTMLProgressElement;

  constructor(bar: HTMLProgressElement) {
    this.#element = bar;
  }

  /** Says how much has arrived, 0 to 1. */
  setValue(share: number): void {
    this.#element.hidden = false;
    this.#element.value = share * 100;
  }

  /** There is nothing to wait for. */
  hide(): void {
    this.#element.hidden = true;
  }

  /** Nothing is known any more: everything has arrived and is being prepared, or all starts over. */
  setIndeterminate(): void {
    this.#element.removeAttribute('value');
  }
}
