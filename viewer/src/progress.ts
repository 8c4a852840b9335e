/** The bar under the name. The page shows it by itself once loading takes noticeable time. */
export class Progress {
  readonly #bar: HTMLProgressElement;

  constructor(bar: HTMLProgressElement) {
    this.#bar = bar;
  }

  /** Says how much has arrived, 0 to 1. */
  tell(share: number): void {
    this.#bar.hidden = false;
    this.#bar.value = share * 100;
  }

  /** There is nothing to wait for. */
  end(): void {
    this.#bar.hidden = true;
  }

  /** Nothing is known any more: everything has arrived and is being prepared, or all starts over. */
  wait(): void {
    this.#bar.removeAttribute('value');
  }
}
