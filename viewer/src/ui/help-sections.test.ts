import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listHelpSections } from './help-sections.ts';

const DEFAULTS = {
  interaction: 'full',
  scrollZoom: false,
  hasToolbar: true,
  isTouch: false,
} as const;

/** The actions of each section. */
function listActions(options: Parameters<typeof listHelpSections>[0]): Record<string, string[]> {
  return Object.fromEntries(
    listHelpSections(options).map(({ title, rows }) => [title, rows.map(([action]) => action)]),
  );
}

describe('listHelpSections', () => {
  it('starts with what the visitor uses', () => {
    const titles = (isTouch: boolean) =>
      listHelpSections({ ...DEFAULTS, isTouch }).map(({ title }) => title);
    assert.deepEqual(titles(false), ['help.mouse', 'help.keyboard', 'help.touch']);
    assert.deepEqual(titles(true), ['help.touch', 'help.mouse', 'help.keyboard']);
  });

  it('lists only what the option interaction allows', () => {
    const orbit = listActions({ ...DEFAULTS, interaction: 'orbit' });
    assert.deepEqual(orbit['help.mouse'], ['help.rotate']);
    assert.ok(!orbit['help.keyboard']?.includes('help.zoom'));
    const none = listActions({ ...DEFAULTS, interaction: 'none' });
    assert.deepEqual(Object.keys(none), ['help.keyboard']);
    assert.ok(!none['help.keyboard']?.includes('help.rotate'));
  });

  it('lists the keys of the control bar only if there is one', () => {
    const listKeys = (hasToolbar: boolean) =>
      listActions({ ...DEFAULTS, hasToolbar })['help.keyboard'];
    assert.ok(listKeys(true)?.includes('toolbar.label'));
    assert.ok(!listKeys(false)?.includes('toolbar.label'));
  });

  it('names no key for the wheel if it zooms without one', () => {
    const [mouse] = listHelpSections({ ...DEFAULTS, scrollZoom: true });
    assert.deepEqual(mouse?.rows[1]?.slice(0, 2), ['help.zoom', 'help.mouse.zoomPlain']);
  });
});
