import type { PartNode } from '@cloche/contract/message';
import { translate } from '../i18n/translate.ts';
import { translateCount } from '../i18n/translate-count.ts';
import type { Viewer } from '../viewer.ts';
import { ICONS } from './icons.ts';
import {
  getChecked,
  isMatch,
  listPartRows,
  listParts,
  type PartRow,
  selectInitiallyExpanded,
} from './part-rows.ts';
import { PartTreeView, toPartLabel } from './part-tree-view.ts';
import type { ToolbarMenu } from './toolbar.ts';

/** With fewer parts, there is nothing to search. */
const MIN_SEARCHED_PARTS = 12;

/** The parts of the model, to show, hide, isolate and search them. */
class PartsMenu {
  readonly content = document.createElement('div');
  readonly #viewer: Viewer;
  readonly #announce: (text: string) => void;
  readonly #search = createSearch();
  readonly #tree: PartTreeView;
  readonly #noneFound = document.createElement('p');
  #parts: readonly PartNode[] = [];
  #count = 0;
  #expanded = new Set<number>();

  constructor(viewer: Viewer, announce: (text: string) => void) {
    this.#viewer = viewer;
    this.#announce = announce;
    this.#tree = new PartTreeView({
      onToggle: (row) => this.#toggle(row),
      onExpand: (row, isExpanded) => this.#expand(row, isExpanded),
      onIsolate: (row) => this.#isolate(row),
    });
    this.#noneFound.textContent = translate('parts.noneFound');
    const footer = document.createElement('footer');
    footer.append(
      createTextButton(translate('parts.isolate'), () => this.#isolate(this.#tree.active)),
      createTextButton(translate('parts.showAll'), () => this.#showAll()),
    );
    this.content.append(this.#search, this.#tree.element, this.#noneFound, footer);
    this.#search.oninput = () => this.#find();
    // The host page may have changed them.
    viewer.on('partschange', () => {
      if (this.content.getClientRects().length > 0) void this.#refresh();
    });
  }

  get hasParts(): boolean {
    return this.#count > 1;
  }

  async read(): Promise<void> {
    this.#parts = await this.#viewer.getParts();
    // The tree of parts never changes, only what is shown of it.
    if (this.#count > 0) return;
    this.#count = listParts(this.#parts).length;
    this.#expanded = selectInitiallyExpanded(this.#parts);
    this.#search.hidden = this.#count < MIN_SEARCHED_PARTS;
  }

  showRows(): void {
    const rows = listPartRows(this.#parts, {
      expanded: this.#expanded,
      query: this.#search.value,
    });
    this.#tree.setRows(rows);
    this.#noneFound.hidden = rows.length > 0;
  }

  async #change(change: () => Promise<void>, text: string): Promise<void> {
    await change();
    await this.#refresh();
    this.#announce(text);
  }

  async #refresh(): Promise<void> {
    await this.read();
    this.showRows();
  }

  #toggle(row: PartRow): void {
    const ids = [row.part.id];
    const name = toPartLabel(row);
    if (getChecked(row.part) === 'false')
      void this.#change(() => this.#viewer.showParts(ids), translate('parts.shown', { name }));
    else void this.#change(() => this.#viewer.hideParts(ids), translate('parts.hidden', { name }));
  }

  #expand({ part }: PartRow, isExpanded: boolean): void {
    if (isExpanded) this.#expanded.add(part.id);
    else this.#expanded.delete(part.id);
    this.showRows();
  }

  #isolate(row: PartRow | undefined): void {
    if (row === undefined) return;
    const text = translate('parts.isolated', { name: toPartLabel(row) });
    void this.#change(() => this.#viewer.isolateParts([row.part.id]), text);
  }

  #showAll(): void {
    const ids = listParts(this.#parts).map(({ id }) => id);
    void this.#change(() => this.#viewer.showParts(ids), translate('parts.allShown'));
  }

  #find(): void {
    this.showRows();
    const count = listParts(this.#parts).filter((part) => isMatch(part, this.#search.value)).length;
    this.#announce(
      count === 0 ? translate('parts.noneFound') : translateCount('parts.found', count),
    );
  }
}

/**
 * Creates a menu of the parts of the model.
 *
 * @param announce called with a text for screen readers after each change
 */
export function createPartsMenu(viewer: Viewer, announce: (text: string) => void): ToolbarMenu {
  const menu = new PartsMenu(viewer, announce);
  return {
    id: 'parts',
    icon: ICONS.parts,
    label: 'parts.label',
    content: menu.content,
    staysOpen: true,
    isAvailable: () => menu.hasParts,
    read: () => menu.read(),
    update: () => menu.showRows(),
  };
}

function createSearch(): HTMLInputElement {
  const search = document.createElement('input');
  search.type = 'search';
  search.placeholder = translate('parts.search');
  search.setAttribute('aria-label', search.placeholder);
  return search;
}

function createTextButton(text: string, onClick: () => void): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = text;
  button.onclick = onClick;
  return button;
}
