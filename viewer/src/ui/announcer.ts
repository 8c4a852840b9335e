import type { CameraView } from '../camera/framing.ts';
import { translate } from '../i18n/translate.ts';
import type { Viewer } from '../viewer.ts';

const DIRECTIONS = [
  'front',
  'frontRight',
  'right',
  'backRight',
  'back',
  'backLeft',
  'left',
  'frontLeft',
] as const;
/** Below this elevation, "above" and "below" are not announced. Radians. */
const MAX_LEVEL_ELEVATION = Math.PI / 18;
/** Above this elevation, the direction is not announced. Radians. */
const MIN_VERTICAL_ELEVATION = 1.2;
/** Of several changes within this time, only the last is announced. */
const DEBOUNCE_MS = 400;

/** Describes the position of the camera: "View from the front left and above". */
export function describeView({ azimuth, elevation }: CameraView): string {
  if (Math.abs(elevation) > MIN_VERTICAL_ELEVATION) {
    return translate(elevation > 0 ? 'view.fromTop' : 'view.fromBelow');
  }
  const eighth = Math.round(azimuth / (Math.PI / 4));
  const name = DIRECTIONS[((eighth % 8) + 8) % 8] ?? 'front';
  const direction = translate(`direction.${name}`);
  if (Math.abs(elevation) < MAX_LEVEL_ELEVATION) return translate('view.fromSide', { direction });
  return translate(elevation > 0 ? 'view.fromSideAbove' : 'view.fromSideBelow', { direction });
}

/** Announces changes of the view to screen readers, with a live region. */
export function mountAnnouncer(viewer: Viewer, liveRegion: HTMLElement): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  viewer.on('viewchange', ({ goal }) => {
    const text = describeView(goal);
    clearTimeout(timer);
    timer = setTimeout(() => {
      // If the same text were set again, screen readers would repeat it.
      if (liveRegion.textContent !== text) liveRegion.textContent = text;
    }, DEBOUNCE_MS);
  });
}
