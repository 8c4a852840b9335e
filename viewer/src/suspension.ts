import type { DeferredFeaturesContext } from './deferred-features.ts';
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

/** What a visitor has selected. It is the same after the model has been loaded again. */
type Selection = {
  variant: number | undefined;
  animation: { index: number; time: number } | undefined;
  playing: boolean;
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
  /** What to restore with the model, which has been unloaded. */
  #unloaded: Selection | undefined;
  #resuming = false;
  /** The picture to show if the context is lost. */
  #picture: HTMLCanvasElement | undefined;
  #modelFailed = false;
  #resumeTimer: ReturnType<typeof setTimeout> | undefined;
  #restTimer: ReturnType<typeof setTimeout> | undefined;
  #attempts = 0;
  #resumedAt = -Infinity;

  /** @param view the parent of the canvas */
  constructor(viewer: Viewer, view: HTMLElement, context: DeferredFeaturesContext) {
    this.#viewer = viewer;
    this.#context = context;
    const { signal } = this.#abortController;
    const resume = () => this.#resume();
    for (const event of ['pointerdown', 'keydown'])
      view.addEventListener(event, resume, { signal, passive: true });
    context.document.addEventListener('visibilitychange', () => this.#resumeIfVisible(), {
      signal,
    });
    viewer.on('statechange', () => this.#suspendIfIdle());
    for (const event of ['viewchange', 'variantchange'] as const)
      viewer.on(event, () => this.#keepPictureAtRest());
    viewer.on('error', () => {
      this.#modelFailed = true;
      this.#suspendIfIdle();
    });
    context.renderer.setContextHandler(this);
    this.#suspendIfIdle();
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
    if (performance.now() - this.#resumedAt > STABLE_MS) this.#attempts = 0;
    const { dataset } = document.documentElement;
    dataset.suspended = '';
    if (this.#picture === undefined) dataset.contextLost = '';
    renderer.suspend(this.#picture ?? (renderer.canvas.cloneNode() as HTMLCanvasElement));
    emit('contextlost', undefined);
    this.#resumeIfVisible();
  }

  /** Draws again at once, with all attempts, for a visitor who asks for it. */
  resumeNow(): void {
    this.#attempts = 0;
    this.#resume();
  }

  get #isIdle(): boolean {
    if (this.#resuming || this.#context.renderer.isSuspended) return false;
    const { state } = this.#viewer;
    return state === 'ready' || (state === 'preview' && this.#modelFailed);
  }

  /** Out of view, a document keeps a context of its own until another needs it, but not the shared one. */
  #suspendIfIdle(): void {
    const { renderer } = this.#context;
    if (!renderer.isVisible && renderer.sharesContext && this.#isIdle) this.#suspend();
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
    const { playing, model } = this.#viewer;
    this.#unloaded = { playing, ...readSelection(model) };
    if (playing) this.#viewer.pause();
    document.documentElement.dataset.suspended = '';
    renderer.suspend(this.#picture);
    emit('contextlost', undefined);
    const root = unloadModel();
    if (root !== undefined) disposeModel(root);
    this.#picture = undefined;
    this.#attempts = 0;
  }

  #resumeIfVisible(): void {
    const { renderer, document } = this.#context;
    if (!renderer.isSuspended || !renderer.isVisible || document.hidden) return;
    clearTimeout(this.#resumeTimer);
    const delayMs = RESUME_DELAYS_MS[this.#attempts];
    if (delayMs === undefined) this.#context.fail(new ViewerError('context-lost'));
    else this.#resumeTimer = setTimeout(() => this.#resume(), delayMs);
  }

  #resume(): void {
    const { renderer } = this.#context;
    if (!renderer.isSuspended) return;
    clearTimeout(this.#resumeTimer);
    this.#attempts++;
    const open = () => this.#openContext();
    const restored = this.#unloaded === undefined && this.#viewer.model?.textureLevels?.restore();
    // If an image cannot be decoded again, the model is shown without it.
    if (restored) void restored.then(open, open);
    else open();
  }

  #openContext(): void {
    const { renderer } = this.#context;
    if (!renderer.isSuspended) return;
    try {
      renderer.resume();
    } catch {
      // There is no context now.
      this.#resumeIfVisible();
      return;
    }
    this.#resumedAt = performance.now();
    if (this.#unloaded === undefined) this.#onDrawable();
    else void this.#reload(this.#unloaded);
  }

  async #reload(selection: Selection): Promise<void> {
    const { renderer, reloadModel } = this.#context;
    this.#unloaded = undefined;
    this.#resuming = true;
    const loaded = await reloadModel((model) => applySelection(model, selection));
    this.#resuming = false;
    if (!loaded) {
      // The picture stays, and the error is shown. The next attempt is when the document is in view again.
      this.#unloaded = selection;
      renderer.suspend(renderer.canvas);
      return;
    }
    this.#onDrawable();
    if (selection.playing) this.#viewer.play();
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
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#resumeTimer);
    clearTimeout(this.#restTimer);
    this.#abortController.abort();
  }
}

function readSelection(model: LoadedModel | undefined): Pick<Selection, 'variant' | 'animation'> {
  const { animations, variants } = model ?? {};
  return {
    variant: variants?.selected,
    animation: animations && { index: animations.index, time: animations.time },
  };
}

async function applySelection(
  { animations, variants }: LoadedModel,
  { animation, variant }: Selection,
): Promise<void> {
  if (variant !== undefined) await variants?.select(variant);
  if (animations === undefined || animation === undefined) return;
  animations.selectClip(animation.index);
  animations.time = animation.time;
}
