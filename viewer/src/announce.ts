import type { View } from './framing.ts';

const SIDES = [
  'front',
  'front right',
  'right',
  'back right',
  'back',
  'back left',
  'left',
  'front left',
];
const HIGH = Math.PI / 18;
/** After the camera has come to rest: not every step on the way is worth a sentence. */
const REST_MS = 400;

/** Where a view looks from, in words: "View from front left, above". */
export function describeView({ azimuth, elevation }: View): string {
  const eighth = Math.round(azimuth / (Math.PI / 4));
  const side = SIDES[((eighth % 8) + 8) % 8];
  if (Math.abs(elevation) > 1.2) return `View from ${elevation > 0 ? 'the top' : 'below'}`;
  if (Math.abs(elevation) < HIGH) return `View from ${side}`;
  return `View from ${side}, ${elevation > 0 ? 'above' : 'below'}`;
}

/** Says to a screen reader what a hand or a key has changed. */
export class Announcer {
  readonly #region: HTMLElement;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(region: HTMLElement) {
    this.#region = region;
  }

  /** Says it once nothing has been said for a moment; the same words again are not repeated. */
  say(words: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#region.textContent !== words) this.#region.textContent = words;
    }, REST_MS);
  }
}
