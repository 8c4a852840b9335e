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
/** Below this elevation a view counts as level; radians. */
const MAX_LEVEL_ELEVATION = Math.PI / 18;
/** Above this elevation the direction does not matter any more; radians. */
const MIN_VERTICAL_ELEVATION = 1.2;
/** Only the last of several changes is announced. */
const DEBOUNCE_MS = 400;

/** Where a view looks from, as text: "View from front left, above". */
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

/** Announces changes of the view to screen readers, in a live region. */
export function mountAnnouncer(viewer: Viewer, liveRegion: HTMLElement): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  viewer.on('viewchange', ({ goal }) => {
    const text = describeView(goal);
    clearTimeout(timer);
    timer = setTimeout(() => {
      // Screen readers would read the same text again.
      if (liveRegion.textContent !== text) liveRegion.textContent = text;
    }, DEBOUNCE_MS);
  });
}
