import type { ViewerOptions } from '@cloche/contract/viewer-options';
import { translate } from '../i18n/translate.ts';
import { KEYBOARD_HELP_ID } from '../ui/control-elements.ts';
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
  const help = document.getElementById(KEYBOARD_HELP_ID) as HTMLElement;
  const update = () => {
    const interaction = getInteraction(viewer);
    const isPicture = interaction === 'none';
    view.setAttribute('role', isPicture ? 'img' : 'application');
    view.dataset.interaction = interaction;
    help.textContent = translate(
      interaction === 'full' ? 'view.keyboardHelp' : 'view.keyboardHelpOrbit',
    );
    if (isPicture) {
      for (const name of ['tabindex', 'aria-describedby', 'aria-roledescription'])
        view.removeAttribute(name);
      return;
    }
    // Without it for a moment, the view would lose the focus.
    view.tabIndex = 0;
    view.setAttribute('aria-describedby', KEYBOARD_HELP_ID);
    view.setAttribute('aria-roledescription', translate('view.roleDescription'));
  };
  viewer.on('optionschange', update);
  update();
}
