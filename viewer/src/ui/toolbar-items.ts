import type { ControlName } from '@cloche/contract/viewer-options';

/** Places of controls that do not exist yet. They have the same names as options and methods. */
type ReservedItemId = 'annotations' | 'measure' | 'ar';

export type ToolbarItemId =
  | 'variants'
  | 'play'
  | 'animations'
  | 'parts'
  | `rotate-${'left' | 'right' | 'up' | 'down'}`
  | `zoom-${'in' | 'out'}`
  | 'reset'
  | 'auto-rotate'
  | 'help'
  | 'more'
  | 'fullscreen'
  | ReservedItemId;

/**
 * The groups of the control bar, and the items in each, from the start of the line to its end: what the model offers, then
 * the camera, then the frame. Lines separate the groups.
 */
export const TOOLBAR_GROUPS: readonly (readonly ToolbarItemId[])[] = [
  ['variants', 'play', 'animations', 'parts', 'annotations', 'measure'],
  [
    ...(['rotate-left', 'rotate-right', 'rotate-up', 'rotate-down'] as const),
    ...(['zoom-out', 'zoom-in', 'reset', 'auto-rotate'] as const),
  ],
  ['help', 'ar', 'more', 'fullscreen'],
];

/** What moves to the panel behind “More” if the bar is too narrow: first the first ones. Pairs move together. */
export const COLLAPSE_ORDER: readonly (readonly ToolbarItemId[])[] = [
  ['rotate-up', 'rotate-down'],
  ['help'],
  ['reset'],
  ['measure'],
  ['annotations'],
  ['zoom-out', 'zoom-in'],
  ['rotate-left', 'rotate-right'],
  ['parts'],
  ['animations'],
  ['variants'],
  ['ar'],
  ['auto-rotate'],
  ['play'],
  ['fullscreen'],
];

/**
 * The items of each control that the option `controls` can select. Motion that starts by itself can be paused whenever
 * there is a bar.
 */
const ITEMS_OF_CONTROLS: Readonly<Record<ControlName, readonly ToolbarItemId[]>> = {
  zoom: ['zoom-out', 'zoom-in'],
  rotate: ['rotate-left', 'rotate-right', 'rotate-up', 'rotate-down'],
  reset: ['reset'],
  variants: ['variants'],
  animations: ['play', 'animations'],
  parts: ['parts'],
  help: ['help'],
  fullscreen: ['fullscreen'],
};

/** Returns the items that the option `controls` selects: `all`, `none`, or words with spaces between them. */
export function selectToolbarItems(controls = 'all'): ReadonlySet<ToolbarItemId> {
  const isSelected = (name: string) => controls === 'all' || controls.split(/\s+/).includes(name);
  const items = Object.entries(ITEMS_OF_CONTROLS)
    .filter(([name]) => isSelected(name))
    .flatMap(([, items]) => items);
  return new Set(items.length === 0 ? [] : [...items, 'auto-rotate', 'more']);
}

/** Returns the first value of `count` from which on the content fits, or the last one: how many units collapse. */
export function countCollapsed(maxCount: number, fits: (count: number) => boolean): number {
  for (let count = 0; count < maxCount; count++) if (fits(count)) return count;
  return maxCount;
}
