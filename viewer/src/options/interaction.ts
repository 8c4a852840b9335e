import type { ViewerOptions } from '@cloche/contract/viewer-options';
import type { Viewer } from '../viewer.ts';

/** What a visitor can do with pointer, touch and keyboard. */
export type Interaction = NonNullable<ViewerOptions['interaction']>;

/** The option `interaction`. */
export function getInteraction(viewer: Viewer): Interaction {
  return viewer.getOptions().interaction ?? 'full';
}

/**
 * Adapts the element of the 3D view to the option: without interaction it is a picture, which cannot get the focus and does
 * not take touches from the page.
 */
export function mountInteraction(viewer: Viewer, view: HTMLElement): void {
  const update = () => {
    const isPicture = getInteraction(viewer) === 'none';
    view.setAttribute('role', isPicture ? 'img' : 'application');
    view.dataset.interaction = getInteraction(viewer);
    if (isPicture) {
      view.removeAttribute('tabindex');
      view.removeAttribute('aria-describedby');
      view.removeAttribute('aria-roledescription');
    } else view.tabIndex = 0;
  };
  viewer.on('optionschange', update);
  update();
}
