import { translate } from '../i18n/translate.ts';
import { createIcon } from './icon.ts';
import { ICONS } from './icons.ts';
import { getChecked, type PartRow } from './part-rows.ts';

type PartTreeViewOptions = {
  /** Shows or hides a part. */
  onToggle: (row: PartRow) => void;
  onExpand: (row: PartRow, expanded: boolean) => void;
  /** Shows only this part. */
  onIsolate: (row: PartRow) => void;
};

/** Rows above and below the visible ones that also have elements. */
const EXTRA_ROWS = 4;
/** The height of a row until one has been measured. CSS pixels. */
const INITIAL_ROW_HEIGHT = 32;

/**
 * A tree view with a checkbox for each part (WAI-ARIA Authoring Practices). Only the rows in view have elements, so that
 * thousands of parts cost no more than a few. The tree has the focus, and names the active row.
 */
export class PartTreeView {
  readonly element = document.createElement('div');
  readonly #options: PartTreeViewOptions;
  readonly #list = document.createElement('div');
  #rows: readonly PartRow[] = [];
  #active = 0;
  #rowHeight = INITIAL_ROW_HEIGHT;

  constructor(options: PartTreeViewOptions) {
    this.#options = options;
    const { element } = this;
    element.className = 'part-tree';
    element.tabIndex = 0;
    element.setAttribute('role', 'tree');
    element.setAttribute('aria-label', translate('parts.label'));
    this.#list.setAttribute('role', 'presentation');
    element.append(this.#list);
    element.addEventListener('scroll', () => this.#render());
    element.addEventListener('keydown', (event) => this.#onKeyDown(event));
    element.addEventListener('click', ({ target }) => this.#onClick(target as Element));
  }

  /** The row that keys apply to. Undefined if there are no rows. */
  get active(): PartRow | undefined {
    return this.#rows[this.#active];
  }

  /** Shows these rows. The active part stays the same, if it is one of them. */
  setRows(rows: readonly PartRow[]): void {
    const id = this.active?.part.id;
    this.#rows = rows;
    this.#active = Math.max(
      0,
      rows.findIndex(({ part }) => part.id === id),
    );
    this.#render();
  }

  #activate(index: number): void {
    this.#active = Math.max(0, Math.min(index, this.#rows.length - 1));
    const { element } = this;
    const top = this.#active * this.#rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    const bottom = top + this.#rowHeight;
    if (bottom > element.scrollTop + element.clientHeight)
      element.scrollTop = bottom - element.clientHeight;
    this.#render();
  }

  #render(): void {
    const { element } = this;
    // Before the position is read: in a list that has become shorter, it changes.
    this.#list.style.height = `${this.#rows.length * this.#rowHeight}px`;
    const first = Math.max(0, Math.floor(element.scrollTop / this.#rowHeight) - EXTRA_ROWS);
    const count = Math.ceil(element.clientHeight / this.#rowHeight) + 2 * EXTRA_ROWS;
    const rows = this.#rows.slice(first, first + count);
    this.#list.replaceChildren(...rows.map((row, index) => this.#createRow(row, first + index)));
    const id = this.active && toRowId(this.active);
    if (id === undefined) element.removeAttribute('aria-activedescendant');
    else element.setAttribute('aria-activedescendant', id);
    const height = this.#list.firstElementChild?.getBoundingClientRect().height ?? 0;
    if (height === 0 || height === this.#rowHeight) return;
    this.#rowHeight = height;
    this.#render();
  }

  #createRow(row: PartRow, index: number): HTMLElement {
    const element = document.createElement('div');
    const attributes: Record<string, string> = {
      id: toRowId(row),
      role: 'treeitem',
      'aria-level': String(row.level),
      'aria-posinset': String(row.position),
      'aria-setsize': String(row.setSize),
      'aria-checked': getChecked(row.part),
      'data-index': String(index),
    };
    if (row.expanded !== undefined) attributes['aria-expanded'] = String(row.expanded);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.classList.toggle('active', index === this.#active);
    element.style.insetBlockStart = `${index * this.#rowHeight}px`;
    element.style.setProperty('--level', String(row.level));
    const name = document.createElement('span');
    name.className = 'name';
    name.textContent = toPartLabel(row);
    name.title = name.textContent;
    element.append(
      createMark('twisty', row.expanded === undefined ? '' : ICONS.expand),
      createMark('checkbox', ICONS.check),
      name,
      createMark('isolate', ICONS.isolate, translate('parts.isolate')),
    );
    return element;
  }

  #onClick(target: Element): void {
    const index = Number(target.closest('[role="treeitem"]')?.getAttribute('data-index') ?? -1);
    const row = this.#rows[index];
    if (row === undefined) return;
    this.#activate(index);
    if (target.closest('.isolate')) this.#options.onIsolate(row);
    else if (target.closest('.twisty') && row.expanded !== undefined)
      this.#options.onExpand(row, !row.expanded);
    else this.#options.onToggle(row);
  }

  #onKeyDown(event: KeyboardEvent): void {
    const row = this.active;
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const isRightToLeft = getComputedStyle(this.element).direction === 'rtl';
    const action = this.#findAction(toLogicalKey(event.key, isRightToLeft), row);
    if (action === undefined) return;
    event.preventDefault();
    action();
  }

  #findAction(key: string, row: PartRow): (() => void) | undefined {
    const move = (index: number) => () => this.#activate(index);
    const page = Math.floor(this.element.clientHeight / this.#rowHeight) - 1;
    const actions: Record<string, () => void> = {
      ArrowUp: move(this.#active - 1),
      ArrowDown: move(this.#active + 1),
      PageUp: move(this.#active - page),
      PageDown: move(this.#active + page),
      Home: move(0),
      End: move(this.#rows.length - 1),
      ' ': () => this.#options.onToggle(row),
      Enter: () => this.#options.onToggle(row),
      Expand: () => this.#expand(row),
      Collapse: () => this.#collapse(row),
    };
    return actions[key] ?? this.#findByFirstCharacter(key);
  }

  #expand(row: PartRow): void {
    if (row.expanded === false) this.#options.onExpand(row, true);
    else if (row.expanded) this.#activate(this.#active + 1);
  }

  #collapse(row: PartRow): void {
    if (row.expanded) this.#options.onExpand(row, false);
    else if (row.parent) this.#activate(this.#rows.indexOf(row.parent));
  }

  /** Moves to the next part whose name starts with the character of the key. */
  #findByFirstCharacter(key: string): (() => void) | undefined {
    if ([...key].length !== 1) return undefined;
    const start = this.#active + 1;
    const rows = [...this.#rows.slice(start), ...this.#rows.slice(0, start)];
    const offset = rows.findIndex((row) =>
      toPartLabel(row).toLocaleLowerCase().startsWith(key.toLocaleLowerCase()),
    );
    if (offset === -1) return undefined;
    return () => this.#activate((start + offset) % this.#rows.length);
  }
}

/** The name of a part for visitors. */
export function toPartLabel({ part }: Pick<PartRow, 'part'>): string {
  return part.name || translate('parts.unnamed', { number: part.id + 1 });
}

function toRowId({ part }: PartRow): string {
  return `part-${part.id}`;
}

function toLogicalKey(key: string, isRightToLeft: boolean): string {
  if (key === (isRightToLeft ? 'ArrowLeft' : 'ArrowRight')) return 'Expand';
  if (key === (isRightToLeft ? 'ArrowRight' : 'ArrowLeft')) return 'Collapse';
  return key;
}

/** A part of a row for the pointer. The keyboard and screen readers use the row. */
function createMark(className: string, pathData: string, title = ''): HTMLElement {
  const element = document.createElement('span');
  element.className = className;
  element.title = title;
  element.append(createIcon(pathData).element);
  return element;
}
