import { translate } from '../i18n/translate.ts';
import type { Viewer } from '../viewer.ts';
import { createMenu } from './menu.ts';

const ICON = 'M5 7h14M5 12h6M5 17h6M14.5 11.5v6l4.5-3z';

/** Starts the first animation of a model, unless the visitor prefers reduced motion, and fills a menu. */
export function createAnimationMenu(
  viewer: Viewer,
  prefersReducedMotion: () => boolean,
): HTMLElement {
  const menu = createMenu({ id: 'animations', label: translate('animations.label'), icon: ICON });
  const update = () => {
    const names = viewer.animationNames;
    if (names.length > 0 && !prefersReducedMotion()) viewer.play();
    if (names.length < 2) return;
    const labels = names.map(
      (name, index) => name || translate('animations.unnamed', { number: index + 1 }),
    );
    menu.populate(labels, (index) => viewer.selectAnimation(index));
  };
  viewer.on('modelchange', update);
  update();
  return menu.element;
}
