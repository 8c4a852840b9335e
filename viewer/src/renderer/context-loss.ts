import type { SceneRenderer } from './scene-renderer.ts';

/**
 * The times before each attempt to continue with a new context. Before the first, the browser may restore the
 * old one. There are no further attempts: another one may take the context of another embed.
 */
const RESTORE_DELAYS_MS: readonly number[] = [1000, 2000, 4000];
/** A context that is lost after this time is a new event, with all attempts. */
const STABLE_MS = 60_000;

type ContextLossCallbacks = {
  onLost: () => void;
  onRestored: () => void;
  /** All attempts have failed. The browser may still restore the context. */
  onGivenUp: () => void;
};

/**
 * Restores a lost WebGL context. Most often the browser does that: three.js asks it to, and uploads all data
 * again. If it does not, the renderer continues on a new canvas.
 */
export class ContextLossHandler implements Disposable {
  readonly #renderer: SceneRenderer;
  readonly #callbacks: ContextLossCallbacks;
  readonly #abortController = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #attempts = 0;
  #restoredAt = -Infinity;

  /** @param container the parent of the canvas, which may be replaced */
  constructor(container: HTMLElement, renderer: SceneRenderer, callbacks: ContextLossCallbacks) {
    this.#renderer = renderer;
    this.#callbacks = callbacks;
    // The events do not bubble.
    const options = { capture: true, signal: this.#abortController.signal };
    container.addEventListener('webglcontextlost', () => this.#onLost(), options);
    // In a later task: the listener of three.js, which is on the canvas, must run before.
    const onRestored = () => setTimeout(() => this.#onRestored());
    container.addEventListener('webglcontextrestored', onRestored, options);
    if (renderer.isContextLost) this.#onLost();
  }

  /** Tries again at once, for a visitor who asks for it. */
  restore(): void {
    this.#attempts = 0;
    clearTimeout(this.#timer);
    this.#replaceCanvas();
  }

  #onLost(): void {
    if (performance.now() - this.#restoredAt > STABLE_MS) this.#attempts = 0;
    this.#callbacks.onLost();
    this.#scheduleAttempt();
  }

  #scheduleAttempt(): void {
    clearTimeout(this.#timer);
    const delayMs = RESTORE_DELAYS_MS[this.#attempts];
    if (delayMs === undefined) this.#callbacks.onGivenUp();
    else this.#timer = setTimeout(() => this.#attempt(), delayMs);
  }

  /** Waits while the embed is out of view: it must not take the context of one that is visible. */
  #attempt(): void {
    if (this.#renderer.isVisible) this.#replaceCanvas();
    else this.#scheduleAttempt();
  }

  #replaceCanvas(): void {
    this.#attempts++;
    try {
      this.#renderer.replaceCanvas();
    } catch {
      // There is no context now.
      this.#scheduleAttempt();
      return;
    }
    this.#onRestored();
  }

  #onRestored(): void {
    clearTimeout(this.#timer);
    this.#restoredAt = performance.now();
    this.#callbacks.onRestored();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#abortController.abort();
  }
}
