import { translate } from '../i18n/translate.ts';
import type { Viewer } from '../viewer.ts';
import { createMenu } from './menu.ts';
import { onModel } from './on-model.ts';

const ICON = 'M5 7h14M5 12h6M5 17h6M14.5 11.5v6l4.5-3z';

/** Starts the first animation of a model, unless the visitor prefers reduced motion, and fills a menu. */
export function createAnimationMenu(
  viewer: Viewer,
  prefersReducedMotion: () => boolean,
): HTMLElement {
  const menu = createMenu({ id: 'animations', label: translate('animations.label'), icon: ICON });
  const fill = async () => {
    const names = (await viewer.getAnimations()).map(({ name }) => name);
    if (names.length > 0 && !prefersReducedMotion()) void viewer.play();
    if (names.length < 2) return;
    menu.populate(names, (index) => viewer.selectAnimation(names[index] as string));
  };
  onModel(viewer, fill);
  return menu.element;
}
