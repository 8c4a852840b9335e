import type { MessageKey } from '../i18n/en.ts';
import { translate } from '../i18n/translate.ts';
import { ROTATE_STEP, ZOOM_STEP_FACTOR } from '../view-steps.ts';
import type { Viewer } from '../viewer.ts';
import { createIconButton } from './icon-button.ts';
import { ICONS } from './icons.ts';
import type { ToolbarItemId } from './toolbar-items.ts';

/** A button for a method of the viewer. The label says what a click does. */
type ToolbarButton = {
  id: ToolbarItemId;
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
    id: 'rotate-left',
    icon: ICONS.rotateLeft,
    label: () => 'view.rotateLeft',
    activate: (viewer) => viewer.rotate(-ROTATE_STEP, 0),
  },
  {
    id: 'rotate-right',
    icon: ICONS.rotateRight,
    label: () => 'view.rotateRight',
    activate: (viewer) => viewer.rotate(ROTATE_STEP, 0),
  },
  {
    id: 'rotate-up',
    icon: ICONS.rotateUp,
    label: () => 'view.rotateUp',
    activate: (viewer) => viewer.rotate(0, ROTATE_STEP),
  },
  {
    id: 'rotate-down',
    icon: ICONS.rotateDown,
    label: () => 'view.rotateDown',
    activate: (viewer) => viewer.rotate(0, -ROTATE_STEP),
  },
  {
    id: 'zoom-out',
    icon: ICONS.zoomOut,
    label: () => 'view.zoomOut',
    activate: (viewer) => viewer.zoom(1 / ZOOM_STEP_FACTOR),
  },
  {
    id: 'zoom-in',
    icon: ICONS.zoomIn,
    label: () => 'view.zoomIn',
    activate: (viewer) => viewer.zoom(ZOOM_STEP_FACTOR),
  },
  {
    id: 'reset',
    icon: ICONS.reset,
    label: () => 'view.reset',
    activate: (viewer) => viewer.resetCamera({}, 'user'),
  },
];

const OTHER_BUTTONS: readonly ToolbarButton[] = [
  {
    id: 'play',
    icon: ICONS.play,
    activeIcon: ICONS.pause,
    label: ({ playing }) => (playing ? 'animation.pause' : 'animation.play'),
    isAvailable: ({ playing }) => playing !== undefined,
    isActive: ({ playing }) => playing === true,
    activate: (viewer) => (viewer.playing ? viewer.pause() : viewer.play()),
  },
  {
    id: 'auto-rotate',
    icon: ICONS.resumeRotation,
    activeIcon: ICONS.pauseRotation,
    label: ({ autoRotating }) => (autoRotating ? 'rotation.pause' : 'rotation.resume'),
    isAvailable: ({ canAutoRotate }) => canAutoRotate,
    isActive: ({ autoRotating }) => autoRotating,
    activate: (viewer) => viewer.setAutoRotating(!viewer.autoRotating),
  },
  {
    id: 'fullscreen',
    icon: ICONS.enterFullscreen,
    activeIcon: ICONS.exitFullscreen,
    label: ({ isFullscreen }) => (isFullscreen ? 'fullscreen.exit' : 'fullscreen.enter'),
    isAvailable: ({ canEnterFullscreen }) => canEnterFullscreen,
    isActive: ({ isFullscreen }) => isFullscreen,
    // If the browser refuses, nothing changes.
    activate: (viewer) =>
      (viewer.isFullscreen ? viewer.exitFullscreen() : viewer.enterFullscreen()).catch(() => {}),
  },
];

/** A button of the toolbar. */
export type ToolbarItem = {
  button: HTMLButtonElement;
  /** Whether it has a function now, such as variants to choose from. */
  isAvailable(): boolean;
  /** Shows the current state. */
  update?(): void;
};

/**
 * Creates the buttons that call one method of the viewer.
 *
 * @param onMove called after a click on a button that moves the camera
 */
export function createToolbarButtons(
  viewer: Viewer,
  onMove: () => void,
): [ToolbarItemId, ToolbarItem][] {
  const move = VIEW_BUTTONS.map(({ activate, ...rest }) => ({
    ...rest,
    activate() {
      activate(viewer);
      onMove();
    },
  }));
  return [...move, ...OTHER_BUTTONS].map((button) => [button.id, createItem(viewer, button)]);
}

function createItem(viewer: Viewer, definition: ToolbarButton): ToolbarItem {
  const { button, setIcon, setLabel } = createIconButton(definition.id, definition.icon);
  button.onclick = () => void definition.activate(viewer);
  return {
    button,
    isAvailable: () => definition.isAvailable?.(viewer) ?? true,
    update() {
      const isActive = definition.isActive?.(viewer) === true;
      setLabel(translate(definition.label(viewer)));
      setIcon((isActive ? definition.activeIcon : undefined) ?? definition.icon);
    },
  };
}
