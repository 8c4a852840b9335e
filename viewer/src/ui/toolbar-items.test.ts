import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CONTROL_NAMES } from '@cloche/contract/viewer-options';
import {
  COLLAPSE_ORDER,
  countCollapsed,
  selectToolbarItems,
  TOOLBAR_GROUPS,
} from './toolbar-items.ts';

describe('the items of the control bar', () => {
  it('every item except “More” can collapse, once', () => {
    const items = TOOLBAR_GROUPS.flat().filter((id) => id !== 'more');
    assert.deepEqual(COLLAPSE_ORDER.flat().toSorted(), items.toSorted());
    assert.equal(new Set(items).size, items.length);
  });

  it('annotations, measuring and AR have places', () => {
    const items = TOOLBAR_GROUPS.flat();
    for (const id of ['annotations', 'measure', 'ar'] as const) assert.ok(items.includes(id), id);
  });
});

describe('the option controls', () => {
  const moving = ['auto-rotate', 'more'];
  const cases: [controls: string | undefined, items: string[]][] = [
    ['none', []],
    ['', []],
    ['zoom', ['zoom-out', 'zoom-in', ...moving]],
    ['animations  fullscreen', ['play', 'animations', 'fullscreen', ...moving]],
    ['rotate', ['rotate-left', 'rotate-right', 'rotate-up', 'rotate-down', ...moving]],
  ];
  for (const [controls, items] of cases) {
    it(`${controls}: ${items.join(' ') || 'no bar'}`, () => {
      assert.deepEqual([...selectToolbarItems(controls)].toSorted(), items.toSorted());
    });
  }

  it('all, and the default, is every control', () => {
    const all = [...selectToolbarItems('all')].toSorted();
    assert.deepEqual([...selectToolbarItems()].toSorted(), all);
    assert.deepEqual([...selectToolbarItems(CONTROL_NAMES.join(' '))].toSorted(), all);
    const reserved = new Set(['annotations', 'measure', 'ar']);
    assert.deepEqual(
      all,
      TOOLBAR_GROUPS.flat()
        .filter((id) => !reserved.has(id))
        .toSorted(),
    );
  });
});

describe('countCollapsed', () => {
  it('is the first count that fits, or the last one', () => {
    assert.equal(
      countCollapsed(5, (count) => count >= 3),
      3,
    );
    assert.equal(
      countCollapsed(5, () => false),
      5,
    );
    assert.equal(
      countCollapsed(0, () => false),
      0,
    );
  });
});
