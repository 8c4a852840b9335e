import type { Orbit } from '../camera/orbit.ts';

const ROTATE_STEP = Math.PI / 12;
const ZOOM_STEP_FACTOR = 0.85;
/** A step of the arrow keys with Shift, in heights of the frame. */
const PAN_STEP = 0.08;

/** What a key does to the camera; `height` is the frame's, in world units at the target. */
type KeyAction = (orbit: Orbit, height: number) => void;

const KEY_ACTIONS: Readonly<Record<string, KeyAction>> = {
  ArrowLeft: (orbit) => orbit.rotate(-ROTATE_STEP, 0),
  ArrowRight: (orbit) => orbit.rotate(ROTATE_STEP, 0),
  ArrowUp: (orbit) => orbit.rotate(0, ROTATE_STEP),
  ArrowDown: (orbit) => orbit.rotate(0, -ROTATE_STEP),
  'Shift+ArrowLeft': (orbit, height) => orbit.pan(-PAN_STEP * height, 0),
  'Shift+ArrowRight': (orbit, height) => orbit.pan(PAN_STEP * height, 0),
  'Shift+ArrowUp': (orbit, height) => orbit.pan(0, PAN_STEP * height),
  'Shift+ArrowDown': (orbit, height) => orbit.pan(0, -PAN_STEP * height),
  '+': (orbit) => orbit.zoom(ZOOM_STEP_FACTOR),
  '=': (orbit) => orbit.zoom(ZOOM_STEP_FACTOR),
  '-': (orbit) => orbit.zoom(1 / ZOOM_STEP_FACTOR),
  _: (orbit) => orbit.zoom(1 / ZOOM_STEP_FACTOR),
  Home: (orbit) => orbit.reset(),
  r: (orbit) => orbit.reset(),
  R: (orbit) => orbit.reset(),
};

/** What a key pressed on the canvas does, or undefined for the browser's own keys. */
export function findKeyAction(
  event: Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>,
): KeyAction | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const shifted = event.shiftKey && event.key.startsWith('Arrow');
  return KEY_ACTIONS[shifted ? `Shift+${event.key}` : event.key];
}
