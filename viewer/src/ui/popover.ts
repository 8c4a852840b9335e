import { translate } from '../i18n/translate.ts';
import { createIconButton } from './icon-button.ts';
import { ICONS } from './icons.ts';

type PopoverOptions = {
  id: string;
  title: string;
  /** The button that opens and closes it. */
  opener: HTMLButtonElement;
  content: HTMLElement;
  /** Stays open while the visitor moves the model. */
  staysOpen?: boolean;
  onToggle?: (isOpen: boolean) => void;
  /** Called when it has closed and had the focus. */
  returnFocus: () => void;
};

/** A frame in which a popover covers everything else. */
const COVERED_FRAME = '(width < 300px) or (height < 240px)';
/** The element that has the focus after opening: the selection, a tree, or the first control. */
const FIRST_FOCUS = ['input:checked', '[role="tree"]', 'button, input'];
/** The smallest distance to the edge of the frame, CSS pixels. */
const MARGIN = 8;

/**
 * A dialog above the control bar that leaves the rest of the frame usable. In a small frame it covers the frame. It has a
 * visible title and a button to close it, takes the focus when it opens, and returns it to its opener.
 */
export class Popover {
  readonly element = document.createElement('div');
  readonly staysOpen: boolean;
  readonly #options: PopoverOptions;
  #anchor: HTMLElement | undefined;

  constructor(options: PopoverOptions) {
    const { id, title, opener, content, staysOpen = false } = options;
    this.#options = options;
    this.staysOpen = staysOpen;
    const { element } = this;
    const heading = document.createElement('h2');
    heading.id = `${id}-title`;
    heading.textContent = title;
    element.id = `${id}-popover`;
    element.classList.add('panel', 'popover');
    element.hidden = true;
    element.setAttribute('role', 'dialog');
    element.setAttribute('aria-labelledby', heading.id);
    const header = document.createElement('header');
    header.append(
      heading,
      createCloseButton(() => this.close()),
    );
    content.classList.add('content');
    element.append(header, content);
    element.addEventListener('focusout', ({ relatedTarget }) => this.#onFocusOut(relatedTarget));
    opener.setAttribute('aria-haspopup', 'dialog');
    opener.setAttribute('aria-controls', element.id);
    opener.setAttribute('aria-expanded', 'false');
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  /** Opens it above an element of the control bar, and moves the focus into it. */
  open(anchor: HTMLElement): void {
    this.#anchor = anchor;
    this.element.hidden = false;
    this.#options.opener.setAttribute('aria-expanded', 'true');
    this.#options.onToggle?.(true);
    this.place();
    const { content } = this.#options;
    const find = (selector: string) =>
      [...content.querySelectorAll<HTMLElement>(selector)].find(isRendered);
    FIRST_FOCUS.map(find)
      .find((element) => element !== undefined)
      ?.focus();
  }

  /** Closes it. If it has the focus, that returns to the opener. */
  close(): void {
    if (!this.isOpen) return;
    const hadFocus = this.element.contains(document.activeElement);
    this.element.hidden = true;
    this.#options.opener.setAttribute('aria-expanded', 'false');
    this.#options.onToggle?.(false);
    if (hadFocus) this.#options.returnFocus();
  }

  /** Centers it above its anchor, inside the frame. The style sheet uses the result unless it covers the frame. */
  place(): void {
    if (!this.isOpen || this.#anchor === undefined) return;
    const { left, width } = this.#anchor.getBoundingClientRect();
    const { offsetWidth } = this.element;
    const last = document.documentElement.clientWidth - offsetWidth - MARGIN;
    const x = Math.max(MARGIN, Math.min(left + width / 2 - offsetWidth / 2, last));
    this.element.style.setProperty('--x', `${Math.round(x)}px`);
  }

  /** An element that a popover covers must not have the focus. */
  #onFocusOut(next: EventTarget | null): void {
    const coversFrame = matchMedia(COVERED_FRAME).matches;
    if (next instanceof Node && !this.element.contains(next) && coversFrame) this.close();
  }
}

export function createCloseButton(onClick: () => void): HTMLButtonElement {
  const { button, setLabel } = createIconButton(undefined, ICONS.close);
  button.className = 'close';
  setLabel(translate('toolbar.close'));
  button.onclick = onClick;
  return button;
}

/** A list of one entry is hidden. */
function isRendered(element: Element): boolean {
  return element.getClientRects().length > 0;
}
