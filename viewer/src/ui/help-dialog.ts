import { translate } from '../i18n/translate.ts';
import { getInteraction } from '../options/interaction.ts';
import type { Viewer } from '../viewer.ts';
import { type HelpSection, listHelpSections } from './help-sections.ts';
import { createCloseButton } from './popover.ts';
import { selectToolbarItems } from './toolbar-items.ts';

/**
 * The dialog that lists what mouse, touch and keyboard do. It is modal: the browser keeps the focus inside, closes it with
 * Escape, and returns the focus.
 */
export class HelpDialog implements Disposable {
  readonly #viewer: Viewer;
  readonly #dialog = document.createElement('dialog');
  readonly #content = document.createElement('div');
  readonly #abortController = new AbortController();

  constructor(viewer: Viewer, parent: HTMLElement) {
    this.#viewer = viewer;
    const header = document.createElement('header');
    const heading = document.createElement('h2');
    heading.id = 'help-title';
    heading.textContent = translate('help.title');
    header.append(
      heading,
      createCloseButton(() => this.#dialog.close()),
    );
    this.#content.className = 'content';
    // It may be higher than the frame: with the focus, the keyboard scrolls it.
    this.#content.tabIndex = 0;
    this.#content.setAttribute('role', 'group');
    this.#content.setAttribute('aria-labelledby', heading.id);
    this.#dialog.id = 'help-dialog';
    this.#dialog.className = 'panel';
    this.#dialog.setAttribute('aria-labelledby', heading.id);
    this.#dialog.append(header, this.#content);
    // Outside of its content, a click on the dialog is one on its backdrop.
    this.#dialog.onclick = ({ target }) => {
      if (target === this.#dialog) this.#dialog.close();
    };
    parent.append(this.#dialog);
    document.addEventListener('keydown', (event) => this.#onKeyDown(event), {
      signal: this.#abortController.signal,
    });
    viewer.on('statechange', ({ state }) => {
      if (state === 'failed') this.#dialog.close();
    });
  }

  open(): void {
    const { scrollZoom = false, controls } = this.#viewer.getOptions();
    const hasToolbar = selectToolbarItems(controls).size > 0;
    const interaction = getInteraction(this.#viewer);
    const isTouch = matchMedia('(pointer: coarse)').matches;
    const sections = listHelpSections({ interaction, scrollZoom, hasToolbar, isTouch });
    this.#content.replaceChildren(...sections.flatMap(createSection));
    this.#dialog.showModal();
    this.#content.scrollTop = 0;
  }

  /** The key `?`, unless it is a character of a text. */
  #onKeyDown({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): void {
    const isText = target instanceof HTMLInputElement && target.type === 'search';
    if (key !== '?' || isText || ctrlKey || metaKey || altKey || this.#dialog.open) return;
    if (['ready', 'preview'].includes(this.#viewer.state)) this.open();
  }

  [Symbol.dispose](): void {
    this.#abortController.abort();
    this.#dialog.remove();
  }
}

function createSection({ title, rows }: HelpSection): HTMLElement[] {
  const heading = document.createElement('h3');
  const list = document.createElement('dl');
  heading.textContent = translate(title);
  for (const [action, how] of rows) {
    const row = document.createElement('div');
    row.append(createText('dt', translate(action)));
    row.append(createText('dd', translate(how, { key: getZoomKey() })));
    list.append(row);
  }
  return [heading, list];
}

function createText(name: 'dt' | 'dd', text: string): HTMLElement {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}

/** The name of the key with which the wheel zooms on this platform. */
export function getZoomKey(): string {
  const isApplePlatform = /Mac|iPhone|iPad/.test(navigator.platform);
  return translate(isApplePlatform ? 'hint.keyCommand' : 'hint.keyControl');
}
