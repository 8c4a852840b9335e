import type { MessageKey } from '../i18n/en.ts';
import type { Interaction } from '../options/interaction.ts';

/** What a visitor can do, how, and the least `interaction` that it needs. */
type Row = readonly [action: MessageKey, how: MessageKey, needs: Interaction];
export type HelpSection = { title: MessageKey; rows: readonly Row[] };

const INTERACTIONS: readonly Interaction[] = ['none', 'orbit', 'full'];

const MOUSE: HelpSection = {
  title: 'help.mouse',
  rows: [
    ['help.rotate', 'help.mouse.rotate', 'orbit'],
    ['help.zoom', 'help.mouse.zoom', 'full'],
    ['help.move', 'help.mouse.move', 'full'],
    ['help.focus', 'help.mouse.focus', 'full'],
  ],
};

const TOUCH: HelpSection = {
  title: 'help.touch',
  rows: [
    ['help.rotate', 'help.touch.rotate', 'orbit'],
    ['help.zoom', 'help.touch.zoom', 'full'],
    ['help.move', 'help.touch.move', 'full'],
    ['help.focus', 'help.touch.focus', 'full'],
    ['help.scroll', 'help.touch.scroll', 'orbit'],
  ],
};

const KEYBOARD: HelpSection = {
  title: 'help.keyboard',
  rows: [
    ['help.rotate', 'help.keyboard.rotate', 'orbit'],
    ['help.zoom', 'help.keyboard.zoom', 'full'],
    ['help.move', 'help.keyboard.move', 'full'],
    ['view.reset', 'help.keyboard.reset', 'orbit'],
    ['toolbar.label', 'help.keyboard.toolbar', 'none'],
    ['help.title', 'help.keyboard.help', 'none'],
    ['toolbar.close', 'help.keyboard.close', 'none'],
  ],
};

type HelpOptions = {
  interaction: Interaction;
  /** Whether the wheel zooms without a key. */
  scrollZoom: boolean;
  /** Whether there is a control bar. */
  hasToolbar: boolean;
  /** Whether the visitor uses touch, and reads about it first. */
  isTouch: boolean;
};

/** Lists what works with these options. */
export function listHelpSections({
  interaction,
  scrollZoom,
  hasToolbar,
  isTouch,
}: HelpOptions): HelpSection[] {
  const level = INTERACTIONS.indexOf(interaction);
  return (isTouch ? [TOUCH, MOUSE, KEYBOARD] : [MOUSE, KEYBOARD, TOUCH])
    .map(({ title, rows }) => ({
      title,
      rows: rows
        .filter(([, , needs]) => INTERACTIONS.indexOf(needs) <= level)
        .filter(([action]) => hasToolbar || action !== 'toolbar.label')
        .map(([action, how, needs]): Row => {
          const isPlain = scrollZoom && how === 'help.mouse.zoom';
          return [action, isPlain ? 'help.mouse.zoomPlain' : how, needs];
        }),
    }))
    .filter(({ rows }) => rows.length > 0);
}
