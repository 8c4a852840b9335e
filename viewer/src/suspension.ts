import { ViewerProblem } from '@cloche/contract/viewer-problem';
import type { DeferredFeaturesContext } from './deferred-features.ts';
import { restoreEmbeddedImages } from './loader/embedded-images.ts';
import type { LoadedModel } from './loader/prepare-model.ts';
import type { ContextHandler } from './renderer/context-member.ts';
import { disposeModel } from './scene/dispose-model.ts';
import type { Viewer } from './viewer.ts';
import { ViewerError } from './viewer-error.ts';

/** The times before each attempt to draw again after the context was lost. Then the visitor can try again. */
const RESUME_DELAYS_MS: readonly number[] = [0, 1000, 2000, 4000];
/** A context that is lost after this time is a new event, with all attempts. */
const STABLE_MS = 60_000;
/** The time between the last movement of the camera and the picture that is kept. */
const REST_MS = 1000;

/** The events after which a picture of before is not the current one. */
const PICTURE_CHANGES = [
  'viewchange',
  'variantchange',
  'partschange',
  'animationchange',
  'optionschange',
] as const;

/** What a visitor or the host page has selected. It is the same after the model has been loaded again. */
export type ModelState = {
  /** Called before the model is unloaded. */
  save(): void;
  /** Applies the state to a model before it is shown. */
  restore(model: LoadedModel): Promise<void>;
  /** Called when the model can be drawn again. */
  resume(): void;
};

/**
 * Shows a picture in place of the model while the document has no WebGL context: out of view, if another
 * document of the page needs the context, and after the browser has lost it. Draws again when the document is
 * in view, or is touched.
 */
export class Suspension implements ContextHandler, Disposable {
  readonly #viewer: Viewer;
  readonly #context: DeferredFeaturesContext;
  readonly #abortController = new AbortController();
  readonly #modelState: ModelState;
  #isUnloaded = false;
  #resuming = false;
  /** While the images of the model are decoded again. */
  #decoding = false;
  /** The tasks that need the context, also out of view. */
  #tasks = 0;
  readonly #waiting: { resolve: () => void; reject: (problem: ViewerProblem) => void }[] = [];
  /** The picture to show if the context is lost. */
  #picture: HTMLCanvasElement | undefined;
  #modelFailed = false;
  #resumeTimer: ReturnType<typeof setTimeout> | undefined;
  #restTimer: ReturnType<typeof setTimeout> | undefined;
  #attempts = 0;
  #resumedAt = -Infinity;

  /** @param view the parent of the canvas */
  constructor(
    viewer: Viewer,
    view: HTMLElement,
    context: DeferredFeaturesContext,
    modelState: ModelState,
  ) {
    this.#viewer = viewer;
    this.#context = context;
    this.#modelState = modelState;
    const { signal } = this.#abortController;
    const resume = () => this.#resume();
    for (const event of ['pointerdown', 'keydown'])
      view.addEventListener(event, resume, { signal, passive: true });
    context.document.addEventListener('visibilitychange', () => this.#resumeIfVisible(), {
      signal,
    });
    viewer.on('statechange', () => this.#onStateChange());
    for (const event of PICTURE_CHANGES)
      viewer.on(event, () => {
        this.#keepPictureAtRest();
        // A picture does not show what the toolbar or the host page changes.
        if (this.#attempts === 0) this.#resumeIfVisible();
      });
    viewer.on('error', () => {
      this.#modelFailed = true;
      this.#suspendIfIdle();
    });
    // The model is being loaded again.
    viewer.on('progress', () => {
      this.#modelFailed = false;
    });
    context.renderer.setContextHandler(this);
    this.#onStateChange();
  }

  onVisibilityChange(inView: boolean): void {
    clearTimeout(this.#resumeTimer);
    clearTimeout(this.#restTimer);
    this.#attempts = 0;
    if (inView) this.#resumeIfVisible();
    else this.#suspendIfIdle();
  }

  onRequested(): boolean {
    if (!this.#isIdle) return false;
    this.#suspend();
    return true;
  }

  onLost(): void {
    const { renderer, document, emit } = this.#context;
    // Until the model is loaded again, the picture is shown. Then #reload continues.
    if (this.#resuming) {
      renderer.suspend(renderer.canvas);
      return;
    }
    if (performance.now() - this.#resumedAt > STABLE_MS) this.#attempts = 0;
    const { dataset } = document.documentElement;
    // Drawing again would take the context of another frame in view, which would do the same.
    const rests = this.#picture !== undefined && renderer.mayLoseContext;
    // A canvas that shows copies of a shared context keeps the last one; one with its own context is empty now.
    const picture = renderer.sharesContext ? renderer.canvas : this.#picture;
    dataset.suspended = '';
    if (picture === undefined) dataset.contextLost = '';
    renderer.suspend(picture ?? (renderer.canvas.cloneNode() as HTMLCanvasElement));
    emit('contextlost', undefined);
    if (rests) this.#attempts = 0;
    else this.#resumeIfVisible();
  }

  /** Draws again at once, with all attempts, for a visitor who asks for it. */
  resumeNow(): void {
    this.#attempts = 0;
    this.#resume();
  }

  /**
   * Runs a task that draws. Out of view, the context is opened for it and then released again.
   *
   * @throws {ViewerProblem} viewer.screenshot: there is no context
   */
  async whileDrawable<T>(task: () => Promise<T>): Promise<T> {
    this.#tasks++;
    try {
      await this.#waitForContext();
      return await task();
    } finally {
      this.#tasks--;
      this.#suspendIfIdle();
    }
  }

  #waitForContext(): Promise<void> {
    const { renderer } = this.#context;
    if (!renderer.isSuspended && !this.#resuming) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.resumeNow();
    });
  }

  /** Out of view, no further attempt follows. In view, the visitor can ask for one. */
  #rejectWaiting(): void {
    const problem = new ViewerProblem('viewer.screenshot', 'There is no WebGL context.');
    for (const { reject } of this.#waiting.splice(0)) reject(problem);
  }

  get #isIdle(): boolean {
    if (this.#resuming || this.#tasks > 0 || this.#context.renderer.isSuspended) return false;
    const { state } = this.#viewer;
    return state === 'ready' || (state === 'preview' && this.#modelFailed);
  }

  #onStateChange(): void {
    this.#suspendIfIdle();
    this.#keepPictureIfNeeded();
  }

  /**
   * Out of view, a document keeps a context of its own until another needs it, but not the shared one, and not one
   * that another cannot ask for.
   */
  #suspendIfIdle(): void {
    const { renderer } = this.#context;
    if (renderer.isVisible || !this.#isIdle) return;
    if (renderer.sharesContext || renderer.mayLoseContext) this.#suspend();
  }

  /** A context that may be lost at any time leaves its picture. The event of a loss follows it. */
  #keepPictureIfNeeded(): void {
    const { renderer } = this.#context;
    if (!this.#isIdle || !renderer.mayLoseContext) return;
    const picture = renderer.takePicture();
    if (!renderer.webGLRenderer.getContext().isContextLost()) this.#picture = picture;
  }

  /** The poster is the picture of the default view; after other views, a picture is kept. */
  #keepPictureAtRest(): void {
    this.#picture = undefined;
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => {
      const { renderer } = this.#context;
      if (this.#isIdle && renderer.isVisible) this.#picture = renderer.takePicture();
    }, REST_MS);
  }

  #suspend(): void {
    const { renderer, document, emit, unloadModel } = this.#context;
    // While the model moves, the picture at rest is not the last one.
    const moves = this.#viewer.autoRotating || this.#viewer.playing === true;
    // Before the parts have their own materials again.
    const picture = (moves ? undefined : this.#picture) ?? renderer.takePicture();
    this.#modelState.save();
    this.#isUnloaded = true;
    document.documentElement.dataset.suspended = '';
    renderer.suspend(picture);
    emit('contextlost', undefined);
    const root = unloadModel();
    if (root !== undefined) disposeModel(root);
    this.#picture = undefined;
    this.#attempts = 0;
  }

  #resumeIfVisible(): void {
    const { renderer, document } = this.#context;
    if (!renderer.isSuspended || this.#resuming || this.#decoding) return;
    if (!renderer.isVisible || document.hidden) return;
    clearTimeout(this.#resumeTimer);
    const delayMs = RESUME_DELAYS_MS[this.#attempts];
    if (delayMs === undefined) {
      this.#rejectWaiting();
      this.#context.fail(new ViewerError('context-lost'));
    } else this.#resumeTimer = setTimeout(() => this.#resume(), delayMs);
  }

  #resume(): void {
    const { renderer } = this.#context;
    // While the model is loaded again, #reload continues when it has ended.
    if (!renderer.isSuspended || this.#resuming || this.#decoding) return;
    clearTimeout(this.#resumeTimer);
    this.#attempts++;
    const open = () => {
      this.#decoding = false;
      this.#openContext();
    };
    const { model } = this.#viewer;
    const restored =
      model && !this.#isUnloaded
        ? [model.textureLevels?.restore(), restoreEmbeddedImages(model)]
        : [];
    // If an image cannot be decoded again, the model is shown without it.
    this.#decoding = restored.some(Boolean);
    if (this.#decoding) void Promise.allSettled(restored).then(open);
    else open();
  }

  #openContext(): void {
    const { renderer } = this.#context;
    if (!renderer.isSuspended) return;
    try {
      renderer.resume();
    } catch {
      // There is no context now.
      if (!renderer.isVisible) this.#rejectWaiting();
      this.#resumeIfVisible();
      return;
    }
    this.#resumedAt = performance.now();
    if (this.#isUnloaded) void this.#reload();
    else this.#onDrawable();
  }

  async #reload(): Promise<void> {
    const { renderer, reloadModel } = this.#context;
    this.#resuming = true;
    const loaded = await reloadModel((model) => this.#modelState.restore(model));
    this.#resuming = false;
    this.#isUnloaded = !loaded;
    if (renderer.isSuspended) {
      // The context was lost meanwhile.
      if (!renderer.isVisible) this.#rejectWaiting();
      this.#resumeIfVisible();
      return;
    }
    if (!loaded) {
      // The picture stays, and the error is shown. The next attempt is when the document is in view again.
      renderer.suspend(renderer.canvas);
      this.#rejectWaiting();
      return;
    }
    this.#onDrawable();
    this.#suspendIfIdle();
  }

  #onDrawable(): void {
    const { renderer, document, emit, recover } = this.#context;
    if (renderer.hasModel) emit('contextrestored', undefined);
    renderer.render();
    const { dataset } = document.documentElement;
    delete dataset.contextLost;
    delete dataset.suspended;
    recover();
    this.#modelState.resume();
    this.#keepPictureIfNeeded();
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#resumeTimer);
    clearTimeout(this.#restTimer);
    this.#abortController.abort();
  }
}
