import { DEFAULT_ROTATION_PER_SECOND, parseSpeed } from '@cloche/contract/option-values';
import type { OrbitController } from '../camera/orbit-controller.ts';
import type { SceneRenderer } from '../renderer/scene-renderer.ts';
import type { Viewer } from '../viewer.ts';

const DEFAULT_DELAY_MS = 3000;

type AutoRotationOptions = {
  viewer: Viewer;
  camera: OrbitController;
  renderer: SceneRenderer;
  /** Where the visitor touches the model. */
  view: HTMLElement;
  reducedMotion: MediaQueryList;
  /** Called when the rotation becomes possible or impossible, and when a visitor stops it or starts it again. */
  onChange: (change: { available: boolean; active: boolean }) => void;
};

/**
 * Rotates the camera around the model, with the option `autoRotate`: from when the model is complete, until a visitor
 * touches it, and again some time later. A visitor can stop it. Out of view, nothing is drawn, and the view does not change.
 */
export class AutoRotation implements Disposable {
  readonly #options: AutoRotationOptions;
  readonly #abortController = new AbortController();
  readonly #pointers = new Set<number>();
  #stopped = false;
  #reversed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: AutoRotationOptions) {
    this.#options = options;
    const { viewer, view, reducedMotion, renderer } = options;
    const { signal } = this.#abortController;
    const start = () => this.#start();
    for (const event of ['statechange', 'modelchange'] as const) viewer.on(event, start);
    viewer.on('contextrestored', () => renderer.requestRender());
    viewer.on('viewchange', () => this.#wait());
    viewer.on('optionschange', ({ changed }) => {
      if (changed.has('autoRotate')) this.setActive(true);
      else if (changed.has('rotationPerSecond') || changed.has('autoRotateDelay')) start();
    });
    reducedMotion.addEventListener('change', () => this.setActive(!this.#stopped), { signal });
    view.addEventListener('pointerdown', (event) => this.#onPointer(event, true), { signal });
    for (const name of ['pointerup', 'pointercancel', 'lostpointercapture'] as const)
      view.addEventListener(name, (event) => this.#onPointer(event, false), { signal });
    start();
    this.#emitChange();
  }

  /** Whether the option is set, and the visitor does not prefer reduced motion. */
  get isAvailable(): boolean {
    const { viewer, reducedMotion } = this.#options;
    return viewer.getOptions().autoRotate === true && !reducedMotion.matches;
  }

  /** Whether it rotates, or will rotate again after the delay. */
  get isActive(): boolean {
    return this.isAvailable && !this.#stopped;
  }

  /** Stops the rotation, or starts it again at once. */
  setActive(active: boolean): void {
    this.#stopped = !active;
    this.#stop();
    this.#start();
    this.#emitChange();
  }

  #emitChange(): void {
    this.#options.onChange({ available: this.isAvailable, active: this.isActive });
  }

  #start(): void {
    const { viewer, renderer } = this.#options;
    if (!this.isActive || viewer.state !== 'ready') return;
    if (this.#timer !== undefined || this.#pointers.size > 0) return;
    renderer.addFrameCallback(this.#update);
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#options.renderer.removeFrameCallback(this.#update);
  }

  /** Continues after the delay. A movement of the camera starts the delay again. */
  #wait(): void {
    this.#stop();
    if (!this.isActive) return;
    const delayMs = this.#options.viewer.getOptions().autoRotateDelay ?? DEFAULT_DELAY_MS;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#start();
    }, delayMs);
  }

  #onPointer({ pointerId }: PointerEvent, isDown: boolean): void {
    if (isDown) this.#pointers.add(pointerId);
    else if (!this.#pointers.delete(pointerId)) return;
    this.#wait();
  }

  /** At a limit of the camera, it turns around. */
  readonly #update = (seconds: number): boolean => {
    const { viewer, camera } = this.#options;
    const { rotationPerSecond = '' } = viewer.getOptions();
    const speed = parseSpeed(rotationPerSecond) ?? DEFAULT_ROTATION_PER_SECOND;
    if (camera.spin(speed * seconds * (this.#reversed ? -1 : 1))) this.#reversed = !this.#reversed;
    return true;
  };

  [Symbol.dispose](): void {
    this.#stop();
    this.#abortController.abort();
  }
}
