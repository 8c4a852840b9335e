import type { CameraView } from '../camera/framing.ts';
import { formatDegrees, formatPercent } from '../i18n/format.ts';
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

/** Announces to screen readers, with a live region, where the camera moves, and what a choice has changed. */
export class Announcer implements Disposable {
  readonly #viewer: Viewer;
  readonly #liveRegion: HTMLElement;
  /** The view that the visitor knows. */
  #announced: CameraView | undefined;
  #goal: CameraView | undefined;
  #isRequested = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(viewer: Viewer, liveRegion: HTMLElement) {
    this.#viewer = viewer;
    this.#liveRegion = liveRegion;
    this.#announced = viewer.view;
    viewer.on('viewchange', ({ goal }) => {
      this.#goal = goal;
      this.#schedule();
    });
    viewer.on('modelchange', () => {
      this.#announced = viewer.view;
    });
    viewer.on('variantchange', ({ name }) => {
      // What is selected from the start is no change.
      if (viewer.state !== 'ready') return;
      const variant = name ?? translate('variants.original');
      this.announceText(translate('variants.selected', { name: variant }));
    });
  }

  /** Announces the view after a key or a button, also if it could not change, as at the closest zoom. */
  announce(): void {
    this.#isRequested = true;
    this.#schedule();
  }

  /** Announces a text, such as the result of a choice. */
  announceText(text: string): void {
    this.#liveRegion.textContent = text;
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#update(), DEBOUNCE_MS);
  }

  #update(): void {
    const view = this.#goal ?? this.#viewer.view;
    const { defaultView } = this.#viewer;
    if (view === undefined || defaultView === undefined) return;
    const changes = describeChanges(this.#announced ?? view, view, defaultView);
    if (changes === '' && !this.#isRequested) return;
    this.#announced = view;
    this.#isRequested = false;
    this.#liveRegion.textContent = changes || describeView(view, defaultView);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

/** Describes what differs between two views: "View from the left, 90° left. Zoom 118%". Empty if nothing does. */
export function describeChanges(
  before: CameraView,
  after: CameraView,
  defaultView: CameraView,
): string {
  const direction = describeDirection(after);
  const zoom = describeZoom(after);
  const isRotated = direction !== describeDirection(before);
  const isZoomed = zoom !== describeZoom(before);
  const isMoved = !after.target.equals(before.target);
  if (!isRotated && !isZoomed && !isMoved) return '';
  if (isSameView(after, defaultView)) return describeView(after, defaultView);
  const changes = [
    isMoved ? translate('view.moved') : '',
    isRotated ? direction : '',
    isZoomed ? zoom : '',
  ];
  return changes.filter(Boolean).join('. ');
}

/** Describes a view completely: "View from the left, 90° left. Zoom 118%". */
export function describeView(view: CameraView, defaultView: CameraView): string {
  const direction = describeDirection(view);
  if (isSameView(view, defaultView)) return `${translate('view.default')}. ${direction}`;
  return `${direction}. ${describeZoom(view)}`;
}

function isSameView(a: CameraView, b: CameraView): boolean {
  return (
    describeDirection(a) === describeDirection(b) &&
    describeZoom(a) === describeZoom(b) &&
    a.target.equals(b.target)
  );
}

/** Describes the position of the camera: "View from the front left and above, 30° left, 16° up". */
export function describeDirection({ azimuth, elevation }: CameraView): string {
  const around = toDegrees(Math.atan2(Math.sin(azimuth), Math.cos(azimuth)));
  const up = toDegrees(elevation);
  const angles = [
    Math.abs(around) % 180 === 0 ? '' : describeAngle(around, ['view.right', 'view.left']),
    up === 0 ? '' : describeAngle(up, ['view.up', 'view.down']),
  ];
  return [describeSide(azimuth, elevation), ...angles].filter(Boolean).join(', ');
}

function describeAngle(
  degrees: number,
  [positive, negative]: ['view.right', 'view.left'] | ['view.up', 'view.down'],
): string {
  return translate(degrees > 0 ? positive : negative, { angle: formatDegrees(Math.abs(degrees)) });
}

function describeSide(azimuth: number, elevation: number): string {
  if (Math.abs(elevation) > MIN_VERTICAL_ELEVATION) {
    return translate(elevation > 0 ? 'view.fromTop' : 'view.fromBelow');
  }
  const eighth = Math.round(azimuth / (Math.PI / 4));
  const name = DIRECTIONS[((eighth % 8) + 8) % 8] ?? 'front';
  const direction = translate(`direction.${name}`);
  if (Math.abs(elevation) < MAX_LEVEL_ELEVATION) return translate('view.fromSide', { direction });
  return translate(elevation > 0 ? 'view.fromSideAbove' : 'view.fromSideBelow', { direction });
}

function describeZoom({ zoom }: CameraView): string {
  return translate('view.zoom', { percent: formatPercent(1 / zoom) });
}

function toDegrees(radians: number): number {
  return Math.round((radians * 180) / Math.PI);
}
