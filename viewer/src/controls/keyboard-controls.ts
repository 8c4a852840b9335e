import { getInteraction, type Interaction } from '../options/interaction.ts';
import { PAN_STEP, ROTATE_STEP, ZOOM_STEP_FACTOR } from '../view-steps.ts';
import type { Viewer } from '../viewer.ts';

type KeyboardControlsOptions = {
  /** Called after each key that moves the camera. */
  onMove: () => void;
};

type KeyAction = (viewer: Viewer, frameHeight: number) => void;

/** The keys that the option `interaction=orbit` allows. */
const ORBIT_KEYS: Readonly<Record<string, KeyAction>> = {
  ArrowLeft: (viewer) => viewer.rotate(-ROTATE_STEP, 0),
  ArrowRight: (viewer) => viewer.rotate(ROTATE_STEP, 0),
  ArrowUp: (viewer) => viewer.rotate(0, ROTATE_STEP),
  ArrowDown: (viewer) => viewer.rotate(0, -ROTATE_STEP),
  Home: (viewer) => viewer.resetCamera({}, 'user'),
  r: (viewer) => viewer.resetCamera({}, 'user'),
  R: (viewer) => viewer.resetCamera({}, 'user'),
};

const KEYS: Readonly<Record<Interaction, Readonly<Record<string, KeyAction>>>> = {
  none: {},
  orbit: ORBIT_KEYS,
  full: {
    ...ORBIT_KEYS,
    'Shift+ArrowLeft': (viewer, height) => viewer.pan(-PAN_STEP * height, 0),
    'Shift+ArrowRight': (viewer, height) => viewer.pan(PAN_STEP * height, 0),
    'Shift+ArrowUp': (viewer, height) => viewer.pan(0, PAN_STEP * height),
    'Shift+ArrowDown': (viewer, height) => viewer.pan(0, -PAN_STEP * height),
    '+': (viewer) => viewer.zoom(ZOOM_STEP_FACTOR),
    '=': (viewer) => viewer.zoom(ZOOM_STEP_FACTOR),
    '-': (viewer) => viewer.zoom(1 / ZOOM_STEP_FACTOR),
    _: (viewer) => viewer.zoom(1 / ZOOM_STEP_FACTOR),
  },
};

/** Moves the camera by keys pressed while the view has the focus. */
export class KeyboardControls implements Disposable {
  readonly #abortController = new AbortController();

  constructor(viewer: Viewer, view: HTMLElement, { onMove }: KeyboardControlsOptions) {
    const { signal } = this.#abortController;
    const onKeyDown = (event: KeyboardEvent) => {
      const action = findKeyAction(event, getInteraction(viewer));
      if (action === undefined) return;
      event.preventDefault();
      action(viewer, view.clientHeight);
      onMove();
    };
    view.addEventListener('keydown', onKeyDown, { signal });
  }

  [Symbol.dispose](): void {
    this.#abortController.abort();
  }
}

/** Returns the action of a key. Undefined for keys that the browser handles. */
function findKeyAction(event: KeyboardEvent, interaction: Interaction): KeyAction | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const isShifted = event.shiftKey && event.key.startsWith('Arrow');
  return KEYS[interaction][isShifted ? `Shift+${event.key}` : event.key];
}
