import styles from 'virtual:toolbar-styles';
import { translate } from '../i18n/translate.ts';
import type { Viewer } from '../viewer.ts';
import { createIconButton, createToolbarButtons, type ToolbarButtonId } from './toolbar-buttons.ts';

type ToolbarOptions = {
  /** The menus of the model. */
  menus: readonly HTMLElement[];
  /** Called after a click on a button that moves the camera. */
  onMove: () => void;
};

type ToolbarItem = ToolbarButtonId | 'menus' | 'toggle' | 'panel';

/** `small`: only one button fits. It opens a panel with all others. */
type Layout = 'small' | 'medium' | 'large';

const SMALL_FRAME = '(width < 240px) or (height < 120px)';
const LARGE_FRAME = '(width >= 480px)';
/** The height in which the menus leave enough of the model visible. */
const HIGH_FRAME = '(height >= 220px)';

/** What the toolbar shows, from left to right. The panel has everything else. */
const TOOLBAR_ITEMS: Readonly<Record<Layout, readonly ToolbarItem[]>> = {
  small: ['toggle', 'panel'],
  medium: ['menus', 'play', 'toggle', 'panel', 'reset', 'fullscreen'],
  large: ['menus', 'play', 'toggle', 'panel', 'zoom-out', 'zoom-in', 'reset', 'fullscreen'],
};

/** The order of the panel, row by row. The style sheet has the grid. */
const PANEL_ITEMS: readonly ToolbarItem[] = [
  ...(['zoom-out', 'rotate-up', 'zoom-in', 'fullscreen'] as const),
  ...(['rotate-left', 'reset', 'rotate-right', 'play', 'rotate-down', 'menus'] as const),
];

const OPEN_ICON =
  'M12 3v18M3 12h18M9.5 5.5 12 3l2.5 2.5M9.5 18.5 12 21l2.5-2.5M5.5 9.5 3 12l2.5 2.5M18.5 9.5 21 12l-2.5 2.5';
const CLOSE_ICON = 'M7 7l10 10M17 7 7 17';

/** The menus and buttons at the lower edge of the frame. In a small frame, most are in a panel. */
export class Toolbar implements Disposable {
  readonly #element: HTMLElement;
  readonly #items: ReadonlyMap<ToolbarItem, HTMLElement>;
  readonly #panel = document.createElement('div');
  readonly #toggle = createIconButton('toggle');
  readonly #abortController = new AbortController();

  constructor(viewer: Viewer, element: HTMLElement, { menus, onMove }: ToolbarOptions) {
    this.#element = element;
    this.#items = new Map<ToolbarItem, HTMLElement>([
      ...createToolbarButtons(viewer, onMove),
      ['menus', createMenuGroup(menus)],
      ['toggle', this.#toggle.button],
      ['panel', this.#panel],
    ]);
    this.#initializePanel();
    this.#watchFrameSize();
    const styleSheet = new CSSStyleSheet();
    styleSheet.replaceSync(styles);
    document.adoptedStyleSheets.push(styleSheet);
    element.hidden = false;
  }

  #initializePanel(): void {
    this.#panel.id = 'panel';
    this.#panel.setAttribute('role', 'group');
    this.#panel.setAttribute('aria-label', translate('toolbar.panel'));
    this.#toggle.button.setAttribute('aria-controls', this.#panel.id);
    this.#toggle.setLabel('toolbar.panel');
    this.#toggle.button.onclick = () => this.#setPanelOpen(Boolean(this.#panel.hidden));
    const { signal } = this.#abortController;
    const onKeyDown = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape' || this.#panel.hidden) return;
      this.#setPanelOpen(false);
      this.#toggle.button.focus();
    };
    this.#element.addEventListener('keydown', onKeyDown, { signal });
  }

  #setPanelOpen(open: boolean): void {
    this.#panel.hidden = !open;
    this.#toggle.button.setAttribute('aria-expanded', String(open));
    this.#toggle.setIcon(open ? CLOSE_ICON : OPEN_ICON);
  }

  #watchFrameSize(): void {
    const { signal } = this.#abortController;
    const small = matchMedia(SMALL_FRAME);
    const large = matchMedia(LARGE_FRAME);
    const high = matchMedia(HIGH_FRAME);
    const update = () => {
      const layout = large.matches ? 'large' : 'medium';
      this.#arrange(small.matches ? 'small' : layout, { hasMenus: high.matches });
    };
    for (const query of [small, large, high]) query.addEventListener('change', update, { signal });
    update();
  }

  /** Moves the elements to the toolbar or to the panel, which is closed. The focus stays visible. */
  #arrange(layout: Layout, { hasMenus }: { hasMenus: boolean }): void {
    const focused = this.#element.contains(document.activeElement)
      ? (document.activeElement as HTMLElement)
      : undefined;
    const getElements = (items: readonly ToolbarItem[]) =>
      items.map((item) => this.#items.get(item) as HTMLElement);
    const inToolbar = TOOLBAR_ITEMS[layout].filter((item) => hasMenus || item !== 'menus');
    this.#element.dataset.layout = layout;
    this.#element.replaceChildren(...getElements(inToolbar));
    this.#panel.replaceChildren(
      ...getElements(PANEL_ITEMS.filter((item) => !inToolbar.includes(item))),
    );
    this.#setPanelOpen(false);
    if (focused === undefined) return;
    (focused.closest('[hidden]') === null ? focused : this.#toggle.button).focus();
  }

  [Symbol.dispose](): void {
    this.#abortController.abort();
  }
}

function createMenuGroup(menus: readonly HTMLElement[]): HTMLElement {
  const group = document.createElement('div');
  group.id = 'menus';
  group.append(...menus);
  return group;
}
