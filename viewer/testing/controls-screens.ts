/** Opens each screen of the controls, and examines it. */
import type { Frame, Page } from 'playwright-core';
import { waitUntil } from '../../scripts/wait-until.ts';
import { createAnimatedBoxGlb } from './animated-models.ts';

/** A model that needs every control. */
export const fullModel = createAnimatedBoxGlb({
  animations: ['Walk around the block', 'Run'],
  variants: ['Pink leather, brushed steel, and a long name', 'Blue'],
  parts: ['Wheel', '<b>Bell</b>', 'A handle bar with a name that is longer than any list'],
});

export type Size = readonly [width: number, height: number];

/** From the smallest frame that has room for the controls to a wide one. CSS pixels. */
export const SIZES: readonly Size[] = [
  [120, 90],
  [200, 150],
  [360, 270],
  [800, 600],
  [1440, 810],
];

/** The screens, by the button that opens them. */
export const SCREENS = ['bar', 'more', 'variants', 'animations', 'parts', 'open-help'] as const;
export type ControlsScreen = (typeof SCREENS)[number];

/** The iframe fills the window, so that one page shows all sizes. */
export const FULL_FRAME = { width: '100vw', height: '100vh' };

/** Resizes the window, and waits until the frame has its size. */
export async function resize(page: Page, frame: Frame, [width, height]: Size): Promise<void> {
  await page.setViewportSize({ width, height });
  await waitUntil('the frame has its size', () =>
    frame.evaluate(
      ([width, height]) => innerWidth === width && innerHeight === height,
      [width, height],
    ),
  );
  // In this frame, the bar is arranged.
  await frame.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
}

/** Closes what is open, and opens a screen with clicks. Returns false if the screen does not exist in this size. */
export async function openScreen(frame: Frame, screen: ControlsScreen): Promise<boolean> {
  await frame.page().keyboard.press('Escape');
  await frame.locator('.popover:visible, dialog[open]').waitFor({ state: 'detached' });
  if (screen === 'bar') return true;
  const button = frame.locator(`#${screen}`);
  const more = frame.locator('.bar #more');
  if ((await button.count()) === 0) return false;
  if (!(await button.isVisible())) await more.click();
  await button.click();
  await frame.locator('.popover:visible, dialog[open]').waitFor();
  return true;
}

type Box = { left: number; top: number; right: number; bottom: number };
/** A part of the controls that is visible, as far as its scrolling ancestors show it. */
type VisibleElement = {
  /** For messages. */
  name: string;
  kind: 'bar' | 'panel' | 'content' | 'target';
  /** The name of the bar or panel that it is in. */
  root: string;
  box: Box;
  width: number;
  height: number;
  isCutOff: boolean;
};

/**
 * Lists what is wrong with the visible controls: outside of the frame, cut off, over each other, or too small for a finger (WCAG
 * 2.5.8). Content that can be scrolled to is fine.
 */
export async function findLayoutProblems(frame: Frame, minSize = 24): Promise<string[]> {
  const { elements, size } = await frame.evaluate(listVisibleElements);
  const roots = elements.filter(({ kind }) => kind === 'bar' || kind === 'panel');
  const targets = elements.filter(({ kind }) => kind === 'target');
  const outside = roots.filter(
    ({ box }) => box.left < 0 || box.top < 0 || box.right > size[0] || box.bottom > size[1],
  );
  const cutOff = elements.filter(({ kind, isCutOff }) => kind !== 'target' && isCutOff);
  const small = targets.filter(({ width, height }) => width < minSize || height < minSize);
  return [
    ...outside.map(({ name }) => `${name} is outside of the frame`),
    ...cutOff.map(({ name }) => `${name} is cut off`),
    ...small.map(({ name, width, height }) => `${name} has ${width} × ${height}`),
    ...targets.flatMap((a, index) =>
      targets
        .slice(index + 1)
        .filter((b) => a.root === b.root && overlaps(a.box, b.box))
        .map((b) => `${a.name} covers ${b.name}`),
    ),
  ];
}

function overlaps(a: Box, b: Box): boolean {
  const isBeside = a.right <= b.left + 0.5 || b.right <= a.left + 0.5;
  const isAbove = a.bottom <= b.top + 0.5 || b.bottom <= a.top + 0.5;
  return !isBeside && !isAbove;
}

/** Runs in the page. */
function listVisibleElements(): { elements: VisibleElement[]; size: [number, number] } {
  const describe = (element: Element) =>
    `${element.id || element.className || element.tagName} "${element.textContent?.slice(0, 20)}"`;
  const getVisibleBox = (element: Element): Box => {
    let { left, top, right, bottom } = element.getBoundingClientRect();
    for (let outer = element.parentElement; outer; outer = outer.parentElement) {
      if (getComputedStyle(outer).overflowY === 'visible') continue;
      const box = outer.getBoundingClientRect();
      [left, top] = [Math.max(left, box.left), Math.max(top, box.top)];
      [right, bottom] = [Math.min(right, box.right), Math.min(bottom, box.bottom)];
    }
    return { left, top, right, bottom };
  };
  const list = (kind: VisibleElement['kind'], selector: string): VisibleElement[] =>
    [...document.querySelectorAll(selector)]
      .filter((element) => element.getClientRects().length > 0)
      .map((element) => ({
        name: describe(element),
        kind,
        root: element.closest('.bar, .panel')?.id ?? '',
        box: kind === 'target' ? getVisibleBox(element) : element.getBoundingClientRect(),
        width: element.getBoundingClientRect().width,
        height: element.getBoundingClientRect().height,
        isCutOff: element.scrollWidth > element.clientWidth + 1,
      }))
      .filter(({ box }) => box.left < box.right && box.top < box.bottom);
  const targets = 'button, label, [role="treeitem"], [type="range"], [type="search"]';
  const elements = [
    ...list('bar', '.bar'),
    ...list('panel', '.panel'),
    ...list('content', '.panel .content'),
    ...list('target', `:is(.bar, .panel) :is(${targets})`),
  ];
  return { elements, size: [innerWidth, innerHeight] };
}
