import type { ScreenPoint } from '../scene/pick-point.ts';

/** What a hand wants of the camera. Lengths are CSS pixels, angles radians. */
export type ControlCallbacks = {
  rotate(right: number, down: number): void;
  pan(right: number, down: number): void;
  /** A twist of two fingers around the vertical. */
  twist(angle: number): void;
  zoom(factor: number): void;
  focus(place: ScreenPoint): void;
  /** A wheel that scrolled the page and may have meant to zoom. */
  plainWheel(): void;
};

type ActivePointer = { x: number; y: number; pans: boolean };

const TAP_MS = 300;
const TAP_PIXELS = 8;
const DOUBLE_TAP_PIXELS = 24;
const WHEEL_LINE_PIXELS = 16;
const ZOOM_PER_PIXEL = 0.0022;
/** A trackpad's pinch comes as small steps of a wheel with Ctrl. */
const ZOOM_PER_PINCH_PIXEL = 0.011;

/** Turns mouse, touch, pen, wheel and trackpad on the canvas into wishes. */
export class PointerControls implements Disposable {
  readonly #canvas: HTMLCanvasElement;
  readonly #callbacks: ControlCallbacks;
  readonly #pointers = new Map<number, ActivePointer>();
  readonly #abortController = new AbortController();
  #lastTap = { at: -Infinity, x: 0, y: 0 };
  #pressStart = { at: 0, x: 0, y: 0 };
  #pinchScale = 1;

  constructor(canvas: HTMLCanvasElement, wishes: ControlCallbacks) {
    this.#canvas = canvas;
    this.#callbacks = wishes;
    this.#listen('pointerdown', (event) => this.#onPointerDown(event));
    this.#listen('pointermove', (event) => this.#onPointerMove(event));
    this.#listen('pointerup', (event) => this.#onPointerUp(event));
    this.#listen('pointercancel', (event) => this.#releasePointer(event));
    this.#listen('lostpointercapture', (event) => this.#releasePointer(event));
    this.#listen('wheel', (event) => this.#onWheel(event));
    this.#listen('contextmenu', (event) => event.preventDefault());
    // Two fingers are ours; one may scroll the page (touch-action: pan-y). Chromium sees it so by
    // itself; this is for browsers that would scroll by two.
    this.#listen('touchmove', (event) => {
      if (event.touches.length > 1 && event.cancelable) event.preventDefault();
    });
    this.#listenToGestures();
  }

  #listen<K extends keyof HTMLElementEventMap>(
    name: K,
    handle: (event: HTMLElementEventMap[K]) => void,
  ): void {
    const options = { signal: this.#abortController.signal, passive: false };
    this.#canvas.addEventListener(name, handle, options);
  }

  /** Safari tells a trackpad's pinch by events of its own; on touch they double the fingers. */
  #listenToGestures(): void {
    const listen = (name: string, handle: (scale: number) => void) =>
      this.#canvas.addEventListener(
        name,
        (event) => {
          event.preventDefault();
          if (this.#pointers.size === 0) handle((event as Event & { scale: number }).scale);
        },
        { signal: this.#abortController.signal, passive: false },
      );
    listen('gesturestart', (scale) => {
      this.#pinchScale = scale;
    });
    listen('gesturechange', (scale) => {
      this.#callbacks.zoom(this.#pinchScale / scale);
      this.#pinchScale = scale;
    });
  }

  #onPointerDown(event: PointerEvent): void {
    if (event.button !== 0 && event.button !== 2) return;
    this.#canvas.setPointerCapture(event.pointerId);
    const pans = event.button === 2 || event.ctrlKey || event.shiftKey || event.metaKey;
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY, pans });
    this.#pressStart = { at: event.timeStamp, x: event.clientX, y: event.clientY };
    this.#canvas.classList.add('dragging');
  }

  #onPointerMove(event: PointerEvent): void {
    const finger = this.#pointers.get(event.pointerId);
    if (finger === undefined) return;
    const before = [...this.#pointers.values()].map(({ x, y }) => ({ x, y }));
    const right = event.clientX - finger.x;
    const down = event.clientY - finger.y;
    finger.x = event.clientX;
    finger.y = event.clientY;

    if (this.#pointers.size === 1) {
      if (finger.pans) this.#callbacks.pan(right, down);
      else this.#callbacks.rotate(right, down);
    } else if (this.#pointers.size === 2) {
      this.#pinch(before, [...this.#pointers.values()]);
    }
  }

  /** What two fingers did together: their middle pans, their distance zooms, their twist turns. */
  #pinch([a0, b0]: ScreenPoint[], [a1, b1]: ScreenPoint[]): void {
    if (!a0 || !b0 || !a1 || !b1) return;
    this.#callbacks.pan((a1.x + b1.x - a0.x - b0.x) / 2, (a1.y + b1.y - a0.y - b0.y) / 2);
    const before = Math.hypot(b0.x - a0.x, b0.y - a0.y);
    const after = Math.hypot(b1.x - a1.x, b1.y - a1.y);
    if (before > 0 && after > 0) this.#callbacks.zoom(before / after);
    const twist = Math.atan2(b1.y - a1.y, b1.x - a1.x) - Math.atan2(b0.y - a0.y, b0.x - a0.x);
    this.#callbacks.twist(Math.atan2(Math.sin(twist), Math.cos(twist)));
  }

  #onPointerUp(event: PointerEvent): void {
    if (this.#pointers.size === 1 && event.button === 0) this.#detectDoubleTap(event);
    this.#releasePointer(event);
  }

  #releasePointer(event: PointerEvent): void {
    this.#pointers.delete(event.pointerId);
    if (this.#pointers.size === 0) this.#canvas.classList.remove('dragging');
  }

  #detectDoubleTap({ timeStamp: at, clientX: x, clientY: y }: PointerEvent): void {
    const { at: since, x: x0, y: y0 } = this.#pressStart;
    if (at - since > TAP_MS || Math.hypot(x - x0, y - y0) > TAP_PIXELS) return;
    const last = this.#lastTap;
    const again = at - last.at < TAP_MS && Math.hypot(x - last.x, y - last.y) < DOUBLE_TAP_PIXELS;
    this.#lastTap = again ? { at: -Infinity, x, y } : { at, x, y };
    if (again) this.#callbacks.focus({ x, y });
  }

  /** A plain wheel belongs to the page, except in fullscreen, where there is none. */
  #onWheel(event: WheelEvent): void {
    const pinches = event.ctrlKey && event.deltaMode === 0 && Math.abs(event.deltaY) < 50;
    const means = event.ctrlKey || event.metaKey || document.fullscreenElement !== null;
    if (!means) {
      this.#callbacks.plainWheel();
      return;
    }
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === 0 ? 1 : WHEEL_LINE_PIXELS);
    this.#callbacks.zoom(Math.exp(pixels * (pinches ? ZOOM_PER_PINCH_PIXEL : ZOOM_PER_PIXEL)));
  }

  [Symbol.dispose](): void {
    this.#abortController.abort();
  }
}
