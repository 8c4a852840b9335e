import { translate } from '../i18n/translate.ts';
import type { Viewer } from '../viewer.ts';
import { populateMenu } from './menu.ts';

/** Starts the first animation of a model, unless the visitor prefers reduced motion, and fills the menu. */
export function mountAnimationMenu(
  viewer: Viewer,
  menu: HTMLSelectElement,
  prefersReducedMotion: () => boolean,
): void {
  const update = () => {
    const names = viewer.animationNames;
    if (names.length > 0 && !prefersReducedMotion()) viewer.play();
    if (names.length < 2) return;
    const labels = names.map(
      (name, index) => name || translate('animations.unnamed', { number: index + 1 }),
    );
    populateMenu(menu, labels, (index) => viewer.selectAnimation(index));
  };
  viewer.on('modelchange', update);
  update();
}
