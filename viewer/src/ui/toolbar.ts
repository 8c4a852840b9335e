import styles from 'virtual:toolbar-styles';
import type { MessageKey } from '../i18n/en.ts';
import { translate } from '../i18n/translate.ts';
import type { Viewer } from '../viewer.ts';
import { createIconButton } from './icon-button.ts';
import { ICONS } from './icons.ts';
import { onModel } from './on-model.ts';
import { Popover } from './popover.ts';
import { createToolbarButtons, type ToolbarItem } from './toolbar-buttons.ts';
import { selectToolbarItems, type ToolbarItemId } from './toolbar-items.ts';
import { ToolbarLayout } from './toolbar-layout.ts';

/** A button of the toolbar that opens a popover, and what is in it. */
export type ToolbarMenu = {
  id: ToolbarItemId;
  icon: string;
  label: MessageKey;
  content: HTMLElement;
  /** Whether it has something to choose from. */
  isAvailable(): boolean;
  /** Reads what the model offers. Called when the model is shown, and when the menu opens. */
  read?(): Promise<void>;
  /** Shows the current state. Called when it opens, and after each change while it is open. */
  update?(): void;
  /** Stays open while the visitor moves the model. */
  staysOpen?: boolean;
  onToggle?(isOpen: boolean): void;
};

type ToolbarOptions = {
  menus: readonly ToolbarMenu[];
  /** Called after a click on a button that moves the camera. */
  onMove: () => void;
  openHelp: () => void;
};

/** After these events, the toolbar may look different. */
const CHANGES = [
  'statechange',
  'animationchange',
  'variantchange',
  'fullscreenchange',
  'optionschange',
  'autorotatechange',
] as const;

/** The bar at the lower edge of the frame, and the popovers above it. */
export class Toolbar implements Disposable {
  readonly #viewer: Viewer;
  readonly #element: HTMLElement;
  readonly #items = new Map<ToolbarItemId, ToolbarItem>();
  readonly #menus: readonly ToolbarMenu[];
  readonly #popovers = new Map<ToolbarItemId, Popover>();
  readonly #layout: ToolbarLayout;
  readonly #abortController = new AbortController();

  constructor(viewer: Viewer, element: HTMLElement, options: ToolbarOptions) {
    this.#viewer = viewer;
    this.#element = element;
    const bar = document.createElement('div');
    const panel = document.createElement('div');
    bar.className = 'bar';
    bar.setAttribute('role', 'toolbar');
    bar.setAttribute('aria-label', translate('toolbar.label'));
    element.append(bar);
    const more: ToolbarMenu = {
      id: 'more',
      icon: ICONS.more,
      label: 'toolbar.more',
      content: panel,
      isAvailable: () => false,
    };
    this.#menus = [...options.menus, more];
    this.#addItems(options);
    const buttons = new Map([...this.#items].map(([id, { button }]) => [id, button]));
    this.#layout = new ToolbarLayout({ element, bar, panel, buttons });
    this.#listen();
    const styleSheet = new CSSStyleSheet();
    styleSheet.replaceSync(styles);
    document.adoptedStyleSheets.push(styleSheet);
    this.update();
  }

  /** Shows the current state of the viewer. */
  update(): void {
    const { state } = this.#viewer;
    const selected = selectToolbarItems(this.#viewer.getOptions().controls);
    const available = [...this.#items].filter(
      ([id, item]) => selected.has(id) && item.isAvailable(),
    );
    for (const [, item] of available) item.update?.();
    for (const { id, update } of this.#menus) if (this.#popovers.get(id)?.isOpen) update?.();
    const isVisible = available.length > 0 && (state === 'preview' || state === 'ready');
    const wasHidden = this.#element.hidden;
    this.#element.hidden = !isVisible;
    if (!isVisible) this.#close();
    const isChanged = this.#layout.setAvailable(available.map(([id]) => id));
    if (isVisible && (isChanged || wasHidden)) this.#arrange();
  }

  /** Reads and shows what the model offers. Without a model, the menus keep what they have. */
  async #read(menus: readonly ToolbarMenu[]): Promise<void> {
    await Promise.allSettled(menus.map((menu) => menu.read?.()));
    this.update();
  }

  #addItems({ onMove, openHelp }: ToolbarOptions): void {
    for (const [id, item] of createToolbarButtons(this.#viewer, onMove)) this.#items.set(id, item);
    const help = createLabelledButton('open-help', ICONS.help, 'help.title');
    help.onclick = () => {
      this.#close();
      openHelp();
    };
    this.#items.set('help', { button: help, isAvailable: () => true });
    for (const menu of this.#menus) this.#addMenu(menu);
  }

  #addMenu(menu: ToolbarMenu): void {
    const { id, icon, label, content, staysOpen = false } = menu;
    const button = createLabelledButton(id, icon, label);
    const popover = new Popover({
      id,
      title: translate(label),
      opener: button,
      content,
      staysOpen,
      onToggle: (isOpen) => {
        if (isOpen) {
          menu.update?.();
          void this.#read([menu]);
        }
        menu.onToggle?.(isOpen);
      },
      returnFocus: () => this.#findVisible(button)?.focus(),
    });
    button.onclick = () => this.#toggle(popover, button);
    this.#items.set(id, { button, isAvailable: () => menu.isAvailable() });
    this.#popovers.set(id, popover);
    this.#element.append(popover.element);
  }

  /** The button, or “More” if the button is in the closed panel. */
  #findVisible(button: HTMLButtonElement): HTMLButtonElement | undefined {
    const buttons = [button, this.#items.get('more')?.button];
    return buttons.find((button) => button && button.getClientRects().length > 0);
  }

  /** At most one popover is open. */
  #toggle(popover: Popover, button: HTMLButtonElement): void {
    const wasOpen = popover.isOpen;
    this.#close();
    const anchor = this.#findVisible(button);
    if (!wasOpen && anchor !== undefined) popover.open(anchor);
  }

  #close(): void {
    for (const popover of this.#popovers.values()) popover.close();
  }

  #arrange(): void {
    this.#popovers.get('more')?.close();
    this.#layout.arrange();
    for (const popover of this.#popovers.values()) popover.place();
  }

  #listen(): void {
    const { signal } = this.#abortController;
    for (const event of CHANGES) this.#viewer.on(event, () => this.update());
    onModel(this.#viewer, () => this.#read(this.#menus));
    addEventListener('resize', () => this.#arrange(), { signal });
    document.addEventListener(
      'keydown',
      (event) => {
        if (event.key === 'Escape') this.#close();
      },
      { signal },
    );
    document.addEventListener(
      'pointerdown',
      ({ target }) => {
        if (this.#element.contains(target as Node)) return;
        for (const popover of this.#popovers.values()) if (!popover.staysOpen) popover.close();
      },
      { signal },
    );
    // The menus open upwards.
    this.#element.addEventListener(
      'keydown',
      ({ key, target }) => {
        const button = target as HTMLElement;
        if (/^Arrow(Up|Down)$/.test(key) && button.getAttribute('aria-expanded') === 'false')
          button.click();
      },
      { signal },
    );
  }

  [Symbol.dispose](): void {
    this.#abortController.abort();
  }
}

function createLabelledButton(id: string, icon: string, label: MessageKey): HTMLButtonElement {
  const { button, setLabel } = createIconButton(id, icon);
  setLabel(translate(label));
  return button;
}
