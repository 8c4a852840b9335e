import type { Orbit } from './orbit.ts';

const TURN = Math.PI / 12;
const ZOOM = 0.85;
/** A step of the arrow keys with Shift, in heights of the frame. */
const PAN = 0.08;

/** What a key does to the camera; `height` is the frame's, in world units at the target. */
type Deed = (orbit: Orbit, height: number) => void;

const DEEDS: Readonly<Record<string, Deed>> = {
  ArrowLeft: (orbit) => orbit.turn(-TURN, 0),
  ArrowRight: (orbit) => orbit.turn(TURN, 0),
  ArrowUp: (orbit) => orbit.turn(0, TURN),
  ArrowDown: (orbit) => orbit.turn(0, -TURN),
  'Shift+ArrowLeft': (orbit, height) => orbit.pan(-PAN * height, 0),
  'Shift+ArrowRight': (orbit, height) => orbit.pan(PAN * height, 0),
  'Shift+ArrowUp': (orbit, height) => orbit.pan(0, PAN * height),
  'Shift+ArrowDown': (orbit, height) => orbit.pan(0, -PAN * height),
  '+': (orbit) => orbit.zoom(ZOOM),
  '=': (orbit) => orbit.zoom(ZOOM),
  '-': (orbit) => orbit.zoom(1 / ZOOM),
  _: (orbit) => orbit.zoom(1 / ZOOM),
  Home: (orbit) => orbit.reset(),
  r: (orbit) => orbit.reset(),
  R: (orbit) => orbit.reset(),
};

/** What a key pressed on the canvas does, or undefined for the browser's own keys. */
export function deedOf(
  event: Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>,
): Deed | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const shifted = event.shiftKey && event.key.startsWith('Arrow');
  return DEEDS[shifted ? `Shift+${event.key}` : event.key];
}
