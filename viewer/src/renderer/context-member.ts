import { chooseContext, mayExceedContexts, type PageMember } from './page-contexts.ts';
import { openOwnSurface, openSharedSurface, type Surface } from './surface.ts';

/** Decides when a renderer releases its context, and when it opens another. */
export type ContextHandler = {
  onVisibilityChange: (inView: boolean) => void;
  /** Another framed document needs the context, and this one is not in view. Returns whether it was released. */
  onRequested: () => boolean;
  /** The context was lost. Nothing can be drawn with it. */
  onLost: () => void;
};

/** The part of one renderer in sharing the WebGL contexts of the page. */
export class ContextMember implements Disposable {
  readonly #published: PageMember = {
    held: undefined,
    inView: true,
    lastInView: Date.now(),
    release: () => !this.inView && this.#handler?.onRequested() === true,
    sharedContext: undefined,
  };
  #handler: ContextHandler | undefined;
  #lost = false;
  #stopWatching: () => void = () => {};

  constructor() {
    globalThis.clochePageMember1 = this.#published;
  }

  get inView(): boolean {
    return this.#published.inView;
  }

  get held(): PageMember['held'] {
    return this.#published.held;
  }

  /** Whether the browser may take the context for another frame, without asking. */
  get mayBeLost(): boolean {
    return this.#published.held === 'own' && mayExceedContexts();
  }

  /** @throws {ViewerError} no-webgl */
  openSurface(canvas: HTMLCanvasElement): Surface {
    const context = chooseContext(this.#published);
    const surface =
      context === 'own'
        ? openOwnSurface(canvas)
        : openSharedSurface(canvas, context, () => this.#onLost());
    this.#published.held = context === 'own' ? 'own' : 'shared';
    this.#lost = false;
    if (context === 'own') this.#watch(canvas);
    return surface;
  }

  /** Call this before the surface is closed. */
  onSurfaceClosing(): void {
    this.#stopWatching();
    this.#published.held = undefined;
  }

  #watch(canvas: HTMLCanvasElement): void {
    const watching = new AbortController();
    this.#stopWatching = () => watching.abort();
    // Before the listener of three.js, which would ask the browser to restore this context: the handler opens another, and
    // disposes of that listener.
    const options = { capture: true, signal: watching.signal };
    canvas.addEventListener('webglcontextlost', () => this.#onLost(), options);
  }

  setHandler(handler: ContextHandler): void {
    this.#handler = handler;
    if (this.#lost) handler.onLost();
  }

  setInView(inView: boolean): void {
    const changed = inView !== this.#published.inView;
    if (inView || changed) this.#published.lastInView = Date.now();
    this.#published.inView = inView;
    if (changed) this.#handler?.onVisibilityChange(inView);
  }

  #onLost(): void {
    this.#lost = true;
    this.#handler?.onLost();
  }

  [Symbol.dispose](): void {
    this.#stopWatching();
    if (globalThis.clochePageMember1 === this.#published) globalThis.clochePageMember1 = undefined;
  }
}
