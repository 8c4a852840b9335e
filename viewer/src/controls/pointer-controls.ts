import { getInteraction, type Interaction } from '../options/interaction.ts';
import type { ScreenPoint } from '../scene/cast-ray.ts';
import type { Viewer } from '../viewer.ts';

type PointerControlsOptions = {
  /** Called when the wheel scrolls the page because no key is held: the visitor may want to zoom. */
  onPlainWheel: () => void;
  /** Called at once after a click or tap. The result is called when it is known not to be the first of two. */
  onTap: (position: ScreenPoint) => () => void;
  /** Called when the browser scrolls the page with one finger: the visitor may want to move the model. */
  onTouchScroll: () => void;
};

type ActivePointer = { x: number; y: number; pans: boolean };

/** A drag of this length rotates the camera by half a turn. CSS pixels. */
const HALF_TURN_PIXELS = 420;
const RADIANS_PER_PIXEL = Math.PI / HALF_TURN_PIXELS;
/** The longest tap or click, and the longest pause in a double tap. */
const TAP_MS = 300;
/** The longest movement during a tap. */
const TAP_PIXELS = 8;
/** The largest distance between the taps of a double tap. */
const DOUBLE_TAP_PIXELS = 24;
/** Some browsers report the wheel in lines. */
const WHEEL_LINE_PIXELS = 16;
const ZOOM_PER_PIXEL = 0.0022;
/** Browsers report pinching on a trackpad as wheel events with Ctrl and small steps. */
const ZOOM_PER_PINCH_PIXEL = 0.011;

/** Moves the camera with mouse, touch, pen, wheel and trackpad. */
export class PointerControls implements Disposable {
  /** The parent of the canvas, which may be replaced. */
  readonly #view: HTMLElement;
  readonly #viewer: Viewer;
  readonly #options: PointerControlsOptions;
  readonly #pointers = new Map<number, ActivePointer>();
  readonly #abortController = new AbortController();
  #lastTap = { time: -Infinity, x: 0, y: 0 };
  #pressStart = { time: 0, x: 0, y: 0 };
  #tapTimer: ReturnType<typeof setTimeout> | undefined;
  #pinchScale = 1;

  constructor(viewer: Viewer, view: HTMLElement, options: PointerControlsOptions) {
    this.#viewer = viewer;
    this.#view = view;
    this.#options = options;
    this.#listen('pointerdown', (event) => this.#onPointerDown(event));
    this.#listen('pointermove', (event) => this.#onPointerMove(event));
    this.#listen('pointerup', (event) => this.#onPointerUp(event));
    this.#listen('pointercancel', (event) => this.#onPointerCancel(event));
    this.#listen('lostpointercapture', (event) => this.#releasePointer(event));
    this.#listen('wheel', (event) => this.#onWheel(event));
    this.#listen('contextmenu', (event) => {
      if (this.#interaction !== 'none') event.preventDefault();
    });
    // One finger scrolls the page (touch-action: pan-y), two fingers do not. Chromium needs no code for
    // that, but other browsers would also scroll with two fingers.
    this.#listen('touchmove', (event) => {
      const isForModel = event.touches.length > 1 && this.#interaction !== 'none';
      if (isForModel && event.cancelable) event.preventDefault();
    });
    this.#listenToGestures();
  }

  get #interaction(): Interaction {
    return getInteraction(this.#viewer);
  }

  #listen<K extends keyof HTMLElementEventMap>(
    name: K,
    handle: (event: HTMLElementEventMap[K]) => void,
  ): void {
    const options = { signal: this.#abortController.signal, passive: false };
    this.#view.addEventListener(name, handle, options);
  }

  /** Safari has its own events for pinching. They are ignored for touch, which has pointer events. */
  #listenToGestures(): void {
    const listen = (name: string, handle: (scale: number) => void) =>
      this.#view.addEventListener(
        name,
        (event) => {
          if (this.#interaction !== 'full') return;
          event.preventDefault();
          if (this.#pointers.size === 0) handle((event as Event & { scale: number }).scale);
        },
        { signal: this.#abortController.signal, passive: false },
      );
    listen('gesturestart', (scale) => {
      this.#pinchScale = scale;
    });
    listen('gesturechange', (scale) => {
      this.#viewer.zoom(this.#pinchScale / scale);
      this.#pinchScale = scale;
    });
  }

  #onPointerDown(event: PointerEvent): void {
    if ((event.button !== 0 && event.button !== 2) || this.#interaction === 'none') return;
    this.#view.setPointerCapture(event.pointerId);
    const hasModifier = event.button === 2 || event.ctrlKey || event.shiftKey || event.metaKey;
    const pans = hasModifier && this.#interaction === 'full';
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY, pans });
    this.#pressStart = { time: event.timeStamp, x: event.clientX, y: event.clientY };
    this.#view.classList.add('dragging');
    this.#viewer.hidePoster();
  }

  #onPointerMove(event: PointerEvent): void {
    const pointer = this.#pointers.get(event.pointerId);
    if (pointer === undefined) return;
    const before = [...this.#pointers.values()].map(({ x, y }) => ({ x, y }));
    const right = event.clientX - pointer.x;
    const down = event.clientY - pointer.y;
    pointer.x = event.clientX;
    pointer.y = event.clientY;

    if (this.#pointers.size === 1) {
      if (pointer.pans) this.#viewer.pan(-right, down);
      else this.#viewer.rotate(-right * RADIANS_PER_PIXEL, down * RADIANS_PER_PIXEL);
    } else if (this.#pointers.size === 2) {
      this.#pinch(before, [...this.#pointers.values()]);
    }
  }

  /** Two pointers: moving their center pans, or only rotates; changing their distance zooms, changing their angle rotates. */
  #pinch([a0, b0]: ScreenPoint[], [a1, b1]: ScreenPoint[]): void {
    if (!a0 || !b0 || !a1 || !b1) return;
    const [right, down] = [(a1.x + b1.x - a0.x - b0.x) / 2, (a1.y + b1.y - a0.y - b0.y) / 2];
    if (this.#interaction !== 'full') {
      this.#viewer.rotate(-right * RADIANS_PER_PIXEL, down * RADIANS_PER_PIXEL);
      return;
    }
    this.#viewer.pan(-right, down);
    const before = Math.hypot(b0.x - a0.x, b0.y - a0.y);
    const after = Math.hypot(b1.x - a1.x, b1.y - a1.y);
    if (before > 0 && after > 0) this.#viewer.zoom(before / after);
    const twist = Math.atan2(b1.y - a1.y, b1.x - a1.x) - Math.atan2(b0.y - a0.y, b0.x - a0.x);
    this.#viewer.rotate(Math.atan2(Math.sin(twist), Math.cos(twist)), 0);
  }

  #onPointerUp(event: PointerEvent): void {
    if (this.#pointers.size === 1 && event.button === 0) this.#detectDoubleTap(event);
    this.#releasePointer(event);
  }

  /** Browsers cancel a pointer when they start to scroll with it. */
  #onPointerCancel(event: PointerEvent): void {
    if (event.pointerType === 'touch' && this.#pointers.size === 1) this.#options.onTouchScroll();
    this.#releasePointer(event);
  }

  #releasePointer(event: PointerEvent): void {
    this.#pointers.delete(event.pointerId);
    if (this.#pointers.size === 0) this.#view.classList.remove('dragging');
  }

  #detectDoubleTap({ timeStamp: time, clientX: x, clientY: y }: PointerEvent): void {
    const start = this.#pressStart;
    if (time - start.time > TAP_MS || Math.hypot(x - start.x, y - start.y) > TAP_PIXELS) return;
    const last = this.#lastTap;
    const isDoubleTap =
      time - last.time < TAP_MS && Math.hypot(x - last.x, y - last.y) < DOUBLE_TAP_PIXELS;
    this.#lastTap = { time: isDoubleTap ? -Infinity : time, x, y };
    clearTimeout(this.#tapTimer);
    const isFocus = isDoubleTap && this.#interaction === 'full';
    if (isFocus) void this.#viewer.focus({ x, y });
    else this.#tapTimer = setTimeout(this.#options.onTap({ x, y }), TAP_MS);
  }

  /** Zooms with Ctrl or Command, and always in fullscreen or with an option. Otherwise the wheel scrolls the page. */
  #onWheel(event: WheelEvent): void {
    if (this.#interaction !== 'full') return;
    const isPinch = event.ctrlKey && event.deltaMode === 0 && Math.abs(event.deltaY) < 50;
    const { scrollZoom } = this.#viewer.getOptions();
    const hasKey = event.ctrlKey || event.metaKey;
    if (!hasKey && !scrollZoom && document.fullscreenElement === null) {
      this.#options.onPlainWheel();
      return;
    }
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === 0 ? 1 : WHEEL_LINE_PIXELS);
    this.#viewer.zoom(Math.exp(pixels * (isPinch ? ZOOM_PER_PINCH_PIXEL : ZOOM_PER_PIXEL)));
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#tapTimer);
    this.#abortController.abort();
  }
}
