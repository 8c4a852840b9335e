import type { MessageKey } from '../i18n/en.ts';
import { translate } from '../i18n/translate.ts';
import type { Viewer } from '../viewer.ts';

/** A button of the toolbar. The label says what a click does. */
type ToolbarButton = {
  id: string;
  /** SVG path data in a box of 24 by 24. */
  icon: string;
  /** The icon while `isActive` returns true. */
  activeIcon?: string;
  label: (viewer: Viewer) => MessageKey;
  isAvailable?: (viewer: Viewer) => boolean;
  isActive?: (viewer: Viewer) => boolean;
  activate: (viewer: Viewer) => unknown;
};

/** The buttons, from left to right. */
const BUTTONS: readonly ToolbarButton[] = [
  {
    id: 'play',
    icon: 'M8 5.5v13l10.5-6.5z',
    activeIcon: 'M8.5 6v12M15.5 6v12',
    label: ({ playing }) => (playing ? 'animation.pause' : 'animation.play'),
    isAvailable: ({ animationNames }) => animationNames.length > 0,
    isActive: ({ playing }) => playing,
    activate: (viewer) => (viewer.playing ? viewer.pause() : viewer.play()),
  },
  {
    id: 'reset',
    icon: 'M5 12a7 7 0 1 0 2.3-5.2M5 4.5V9h4.5',
    label: () => 'view.reset',
    activate: (viewer) => viewer.resetView(),
  },
  {
    id: 'fullscreen',
    icon: 'M9 5H5v4M15 5h4v4M9 19H5v-4M15 19h4v-4',
    activeIcon: 'M5 9h4V5M19 9h-4V5M5 15h4v4M19 15h-4v4',
    label: ({ isFullscreen }) => (isFullscreen ? 'fullscreen.exit' : 'fullscreen.enter'),
    isAvailable: ({ canEnterFullscreen }) => canEnterFullscreen,
    isActive: ({ isFullscreen }) => isFullscreen,
    // If the browser refuses, nothing changes.
    activate: (viewer) =>
      (viewer.isFullscreen ? viewer.exitFullscreen() : viewer.enterFullscreen()).catch(() => {}),
  },
];

const SVG_NAMESPACE = 'http://www.w3.org/2000/svg';

/** Adds the buttons to the toolbar and shows it. */
export function mountToolbar(viewer: Viewer, toolbar: HTMLElement): void {
  for (const definition of BUTTONS) toolbar.append(createButton(viewer, definition));
  toolbar.hidden = false;
}

function createButton(viewer: Viewer, definition: ToolbarButton): HTMLButtonElement {
  const button = document.createElement('button');
  const icon = document.createElementNS(SVG_NAMESPACE, 'svg');
  const path = document.createElementNS(SVG_NAMESPACE, 'path');
  button.id = definition.id;
  button.type = 'button';
  icon.setAttribute('viewBox', '0 0 24 24');
  icon.setAttribute('aria-hidden', 'true');
  icon.append(path);
  button.append(icon);
  button.onclick = () => void definition.activate(viewer);

  const update = () => {
    const isActive = definition.isActive?.(viewer) === true;
    const label = translate(definition.label(viewer));
    button.hidden = definition.isAvailable?.(viewer) === false;
    button.title = label;
    button.setAttribute('aria-label', label);
    path.setAttribute('d', (isActive ? definition.activeIcon : undefined) ?? definition.icon);
  };
  for (const event of ['modelchange', 'animationchange', 'fullscreenchange'] as const) {
    viewer.on(event, update);
  }
  update();
  return button;
}
