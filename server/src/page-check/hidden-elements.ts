/** Elements whose end tag is always written, so that their end is found without a tree. */
const CONTAINERS: ReadonlySet<string> = new Set(
  'div section article main aside figure header footer nav span dialog details'.split(' '),
);
const HIDDEN_STYLE = /(^|[;\s])(display\s*:\s*none|visibility\s*:\s*hidden)\b/i;

/** Says whether an element is hidden by its own attributes. */
export function isHidden(attributes: ReadonlyMap<string, string>): boolean {
  return attributes.has('hidden') || HIDDEN_STYLE.test(attributes.get('style') ?? '');
}

/** Follows the tags of a page, to know whether there is a hidden element around the current one. */
export class HiddenElements {
  /** The outermost open hidden element, and how many elements of its name are open, with itself. */
  #outermost: { name: string; depth: number } | undefined;

  get isInside(): boolean {
    return this.#outermost !== undefined;
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    if (this.#outermost?.name === name) this.#outermost.depth += 1;
    else if (this.#outermost === undefined && CONTAINERS.has(name) && hides(name, attributes))
      this.#outermost = { name, depth: 1 };
  }

  close(name: string): void {
    if (this.#outermost?.name !== name) return;
    this.#outermost.depth -= 1;
    if (this.#outermost.depth === 0) this.#outermost = undefined;
  }
}

/** What is in a dialog or in `<details>` is hidden until it is opened. */
function hides(name: string, attributes: ReadonlyMap<string, string>): boolean {
  const isClosed = (name === 'dialog' || name === 'details') && !attributes.has('open');
  return isClosed || isHidden(attributes);
}
