import { RovingFocus } from './roving-focus.ts';
import {
  COLLAPSE_ORDER,
  countCollapsed,
  TOOLBAR_GROUPS,
  type ToolbarItemId,
} from './toolbar-items.ts';

type ToolbarLayoutOptions = {
  /** As wide as the bar may be. */
  element: HTMLElement;
  bar: HTMLElement;
  /** Has the buttons that do not fit into the bar. */
  panel: HTMLElement;
  buttons: ReadonlyMap<ToolbarItemId, HTMLButtonElement>;
};

/** How many units collapse before the menus lose their visible names. */
const COLLAPSED_BEFORE_LABELS = 1;
/** Buttons that the panel shows without their names, next to each other. */
const ICON_BUTTON = /^(rotate|zoom|reset)/;

/** Divides the buttons between the bar and the panel behind “More”. */
export class ToolbarLayout {
  readonly #options: ToolbarLayoutOptions;
  readonly #rovingFocus: RovingFocus;
  #available: readonly ToolbarItemId[] = [];

  constructor(options: ToolbarLayoutOptions) {
    this.#options = options;
    this.#rovingFocus = new RovingFocus(options.bar);
  }

  /** Shows these buttons. Returns whether others were shown before. */
  setAvailable(available: readonly ToolbarItemId[]): boolean {
    if (available.join() === this.#available.join()) return false;
    this.#available = available;
    return true;
  }

  /** Fits the buttons into the frame. A button that has the focus keeps it, or gives it to “More”. */
  arrange(): void {
    const { bar, panel, buttons } = this.#options;
    const focused = [bar, panel].some((part) => part.contains(document.activeElement))
      ? (document.activeElement as HTMLElement)
      : undefined;
    const units = COLLAPSE_ORDER.map((unit) => unit.filter((id) => this.#available.includes(id)));
    const collapsible = units.filter((unit) => unit.length > 0);
    const fits = (count: number, hasLabels: boolean) => {
      this.#fill(new Set(collapsible.slice(0, count).flat()), hasLabels);
      return bar.scrollWidth <= bar.clientWidth;
    };
    const last = Math.min(COLLAPSED_BEFORE_LABELS, collapsible.length);
    const isLabelled = fits(
      countCollapsed(last, (count) => fits(count, true)),
      true,
    );
    if (!isLabelled) {
      const count = countCollapsed(collapsible.length, (count) => fits(count, false));
      fits(count, false);
    }
    this.#rovingFocus.update();
    if (focused === undefined || focused === document.activeElement) return;
    const candidates = [focused, buttons.get('more'), bar.querySelector('button')];
    candidates.find((button) => button && button.getClientRects().length > 0)?.focus();
  }

  #fill(collapsed: ReadonlySet<ToolbarItemId>, hasLabels: boolean): void {
    const { bar, panel } = this.#options;
    const isInBar = (id: ToolbarItemId) =>
      id === 'more' ? collapsed.size > 0 : this.#available.includes(id) && !collapsed.has(id);
    bar.toggleAttribute('data-labels', hasLabels);
    const groups = TOOLBAR_GROUPS.map((ids) => this.#getButtons(ids.filter(isInBar)));
    bar.replaceChildren(
      ...groups.filter((buttons) => buttons.length > 0).map((buttons) => wrap('group', buttons)),
    );
    const inPanel = TOOLBAR_GROUPS.flat().filter((id) => collapsed.has(id));
    const icons = this.#getButtons(inPanel.filter((id) => ICON_BUTTON.test(id)));
    const rows = this.#getButtons(inPanel.filter((id) => !ICON_BUTTON.test(id)));
    panel.replaceChildren(
      ...(icons.length > 0 ? [wrap('icons', icons)] : []),
      ...(rows.length > 0 ? [wrap('rows', rows)] : []),
    );
    for (const button of panel.querySelectorAll('button')) button.tabIndex = 0;
  }

  /** In right-to-left texts, “left” is the second of the two buttons, so that it is still on the left. */
  #getButtons(ids: readonly ToolbarItemId[]): HTMLButtonElement[] {
    const { element, buttons } = this.#options;
    const order = [...ids];
    const left = order.indexOf('rotate-left');
    if (left !== -1 && getComputedStyle(element).direction === 'rtl')
      order.splice(left, 2, 'rotate-right', 'rotate-left');
    return order.map((id) => buttons.get(id) as HTMLButtonElement);
  }
}

function wrap(className: string, children: readonly HTMLElement[]): HTMLElement {
  const element = document.createElement('div');
  element.className = className;
  element.append(...children);
  return element;
}
