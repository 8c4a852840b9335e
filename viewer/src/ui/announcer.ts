import type { CameraView } from '../camera/framing.ts';

const DIRECTIONS = [
  'front',
  'front right',
  'right',
  'back right',
  'back',
  'back left',
  'left',
  'front left',
];
const MAX_LEVEL_ELEVATION = Math.PI / 18;
/** After the camera has come to rest: not every step on the way is worth a sentence. */
const DEBOUNCE_MS = 400;

/** Where a view looks from, in words: "View from front left, above". */
export function describeView({ azimuth, elevation }: CameraView): string {
  const eighth = Math.round(azimuth / (Math.PI / 4));
  const side = DIRECTIONS[((eighth % 8) + 8) % 8];
  if (Math.abs(elevation) > 1.2) return `View from ${elevation > 0 ? 'the top' : 'below'}`;
  if (Math.abs(elevation) < MAX_LEVEL_ELEVATION) return `View from ${side}`;
  return `View from ${side}, ${elevation > 0 ? 'above' : 'below'}`;
}

/** Says to a screen reader what a hand or a key has changed. */
export class Announcer {
  readonly #liveRegion: HTMLElement;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(region: HTMLElement) {
    this.#liveRegion = region;
  }

  /** Says it once nothing has been said for a moment; the same words again are not repeated. */
  announce(words: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#liveRegion.textContent !== words) this.#liveRegion.textContent = words;
    }, DEBOUNCE_MS);
  }
}
