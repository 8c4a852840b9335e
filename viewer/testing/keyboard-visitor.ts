/** A visitor who uses only the keyboard and a screen reader: presses keys, and knows only what the accessibility tree says. */
import type { Frame, Page } from 'playwright-core';
import { waitUntil } from '../../scripts/wait-until.ts';

/** How often a key is pressed to find something. */
const MAX_PRESSES = 40;

export class KeyboardVisitor {
  readonly #page: Page;
  readonly #frame: Frame;

  constructor(page: Page, frame: Frame) {
    this.#page = page;
    this.#frame = frame;
  }

  press(key: string): Promise<void> {
    return this.#page.keyboard.press(key);
  }

  /** What a screen reader says of the focus: its role, name and states, such as `button "More" [expanded]`. */
  readFocus(): Promise<string> {
    return waitUntil('the item with the focus is drawn', () => this.#findFocus());
  }

  /** Undefined if a list that scrolls draws the item in the next frame. */
  async #findFocus(): Promise<string | undefined> {
    const focused = this.#frame.locator(':focus');
    if ((await focused.count()) === 0) return '';
    const activeId = await focused.getAttribute('aria-activedescendant');
    const element = activeId === null ? focused : this.#frame.locator(`[id="${activeId}"]`);
    if ((await element.count()) === 0) return undefined;
    const text = (await element.ariaSnapshot()).split('\n')[0] ?? '';
    return text === '' && activeId !== null ? undefined : text;
  }

  /** Waits until the focus is on something that matches, or that has this description. */
  async waitForFocus(wanted: RegExp | string): Promise<void> {
    let focus = '';
    const matches = async () => {
      focus = await this.readFocus();
      return typeof wanted === 'string' ? focus === wanted : wanted.test(focus);
    };
    await waitUntil(() => `the focus is on ${wanted}, not on ${focus}`, matches);
  }

  /** Presses a key until the focus is on something that matches. */
  async find(key: string, wanted: RegExp): Promise<string> {
    const heard: string[] = [];
    // A menu that was just opened has no focus yet. A key that is pressed now would move it later.
    await waitUntil('something has the focus', async () => (await this.readFocus()) !== '');
    for (let count = 0; count < MAX_PRESSES; count++) {
      const focus = await this.readFocus();
      if (wanted.test(focus)) return focus;
      heard.push(focus);
      await this.press(key);
    }
    throw new Error(`${key} did not find ${wanted}, but: ${heard.join(', ')}`);
  }

  /** Moves to a button of the control bar and presses it. In a narrow frame, it is behind “More”. */
  async pressControl(name: RegExp): Promise<void> {
    await this.find('Tab', /^- button .*/);
    await this.press('Home');
    const first = await this.readFocus();
    for (let focus = first; !name.test(focus); ) {
      await this.press('ArrowRight');
      focus = await this.readFocus();
      if (focus !== first) continue;
      await this.find('ArrowRight', /"More"/);
      await this.press('Enter');
      await this.find('Tab', name);
      break;
    }
    await this.press('Enter');
  }

  /** Waits for an announcement that matches. */
  async hear(announcement: RegExp): Promise<void> {
    await waitUntil(`${announcement} is announced`, async () =>
      announcement.test((await this.#frame.locator('#live-region').textContent()) ?? ''),
    );
  }

  /** Leaves the frame forwards. The host page has the focus then. */
  async leave(): Promise<void> {
    const isInside = () => this.#page.evaluate(() => document.activeElement?.tagName === 'IFRAME');
    for (let count = 0; count < MAX_PRESSES && (await isInside()); count++) await this.press('Tab');
    if (await isInside()) throw new Error('The Tab key does not leave the frame.');
  }

  /** Enters the frame from the page around it. */
  async enter(): Promise<void> {
    await this.#page.evaluate(() => document.getElementById('before')?.focus());
    await this.press('Tab');
  }
}
