import type { MessageKey } from '../i18n/en.ts';
import { translate } from '../i18n/translate.ts';
import { ROTATE_STEP, ZOOM_STEP_FACTOR } from '../view-steps.ts';
import type { Viewer } from '../viewer.ts';
import { createIcon } from './icon.ts';

export type ToolbarButtonId =
  | 'play'
  | 'zoom-out'
  | 'zoom-in'
  | 'reset'
  | 'fullscreen'
  | `rotate-${'left' | 'right' | 'up' | 'down'}`;

/** A button for a method of the viewer. The label says what a click does. */
type ToolbarButton = {
  id: ToolbarButtonId;
  /** SVG path data in a box of 24 by 24. */
  icon: string;
  /** The icon while `isActive` returns true. */
  activeIcon?: string;
  label: (viewer: Viewer) => MessageKey;
  isAvailable?: (viewer: Viewer) => boolean;
  isActive?: (viewer: Viewer) => boolean;
  activate: (viewer: Viewer) => unknown;
};

/** The buttons that move the camera: everything that dragging does can also be done by clicking. */
const VIEW_BUTTONS: readonly ToolbarButton[] = [
  {
    id: 'zoom-out',
    icon: 'M6 12h12',
    label: () => 'view.zoomOut',
    activate: (viewer) => viewer.zoom(1 / ZOOM_STEP_FACTOR),
  },
  {
    id: 'zoom-in',
    icon: 'M6 12h12M12 6v12',
    label: () => 'view.zoomIn',
    activate: (viewer) => viewer.zoom(ZOOM_STEP_FACTOR),
  },
  {
    id: 'rotate-left',
    icon: 'M14.5 6l-6 6 6 6',
    label: () => 'view.rotateLeft',
    activate: (viewer) => viewer.rotate(-ROTATE_STEP, 0),
  },
  {
    id: 'rotate-right',
    icon: 'M9.5 6l6 6-6 6',
    label: () => 'view.rotateRight',
    activate: (viewer) => viewer.rotate(ROTATE_STEP, 0),
  },
  {
    id: 'rotate-up',
    icon: 'M6 14.5l6-6 6 6',
    label: () => 'view.rotateUp',
    activate: (viewer) => viewer.rotate(0, ROTATE_STEP),
  },
  {
    id: 'rotate-down',
    icon: 'M6 9.5l6 6 6-6',
    label: () => 'view.rotateDown',
    activate: (viewer) => viewer.rotate(0, -ROTATE_STEP),
  },
  {
    id: 'reset',
    icon: 'M5 12a7 7 0 1 0 2.3-5.2M5 4.5V9h4.5',
    label: () => 'view.reset',
    activate: (viewer) => viewer.resetCamera({}, 'user'),
  },
];

const OTHER_BUTTONS: readonly ToolbarButton[] = [
  {
    id: 'play',
    icon: 'M8 5.5v13l10.5-6.5z',
    activeIcon: 'M8.5 6v12M15.5 6v12',
    label: ({ playing }) => (playing ? 'animation.pause' : 'animation.play'),
    isAvailable: ({ playing }) => playing !== undefined,
    isActive: ({ playing }) => playing === true,
    activate: (viewer) => (viewer.playing ? viewer.pause() : viewer.play()),
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

/**
 * Creates all buttons.
 *
 * @param onMove called after a click on a button that moves the camera
 */
export function createToolbarButtons(
  viewer: Viewer,
  onMove: () => void,
): Map<ToolbarButtonId, HTMLButtonElement> {
  const buttons = new Map(
    [...VIEW_BUTTONS, ...OTHER_BUTTONS].map((button) => [button.id, createButton(viewer, button)]),
  );
  for (const { id } of VIEW_BUTTONS) buttons.get(id)?.addEventListener('click', onMove);
  return buttons;
}

function createButton(viewer: Viewer, definition: ToolbarButton): HTMLButtonElement {
  const { button, setIcon, setLabel } = createIconButton(definition.id);
  button.onclick = () => void definition.activate(viewer);
  const update = () => {
    const isActive = definition.isActive?.(viewer) === true;
    button.hidden = definition.isAvailable?.(viewer) === false;
    setLabel(definition.label(viewer));
    setIcon((isActive ? definition.activeIcon : undefined) ?? definition.icon);
  };
  for (const event of ['modelchange', 'animationchange', 'fullscreenchange'] as const) {
    viewer.on(event, update);
  }
  update();
  return button;
}

/** Creates a button with an icon and without a visible text. */
export function createIconButton(id: string) {
  const button = document.createElement('button');
  const icon = createIcon();
  button.id = id;
  button.type = 'button';
  button.append(icon.element);
  return {
    button,
    setIcon: icon.setPath,
    setLabel(key: MessageKey) {
      button.title = translate(key);
      button.setAttribute('aria-label', button.title);
    },
  };
}
