import type { WebGLRenderer } from 'three';
import { getWebGLContext } from './webgl-context.ts';

/** The methods with which WebGL objects are created and deleted, by kind. */
const OBJECT_KINDS = [
  'Buffer',
  'Framebuffer',
  'Program',
  'Renderbuffer',
  'Sampler',
  'Shader',
  'Texture',
  'VertexArray',
] as const;

/** Pixels. */
type Size = { width: number; height: number };

type AnyFunction = (...args: unknown[]) => unknown;

/** One of the documents that draw with a shared context. */
export type SharedContextUser = {
  /** The state that three.js assumes is that of this renderer. Undefined until the renderer has been created. */
  renderer: WebGLRenderer | undefined;
  /** The context is lost or has been closed. */
  onLost: () => void;
};

/**
 * A WebGL context without a visible canvas, with which several framed documents draw. Each has its own
 * `WebGLRenderer`; after each frame it copies the picture to its own canvas. Closes with its last user.
 */
export class SharedContext {
  readonly canvas: HTMLCanvasElement;
  readonly gl: WebGL2RenderingContext;
  readonly #onClosed: () => void;
  /** The users, with functions that delete the objects that each has created. */
  readonly #users = new Map<SharedContextUser, Map<object, () => void>>();
  readonly #sizes = new Map<SharedContextUser, Size>();
  readonly #closed = new AbortController();
  #current: SharedContextUser | undefined;

  private constructor(canvas: HTMLCanvasElement, onClosed: () => void) {
    this.canvas = canvas;
    this.gl = getWebGLContext(canvas);
    this.#onClosed = onClosed;
    this.#recordObjects();
    const { signal } = this.#closed;
    canvas.addEventListener('webglcontextlost', () => this.#close(), { signal });
    // The document is removed from the page: the browser takes its contexts.
    addEventListener('pagehide', () => this.#close(), { signal });
  }

  /** @throws {ViewerError} no-webgl */
  static create(onClosed: () => void): SharedContext {
    return new SharedContext(document.createElement('canvas'), onClosed);
  }

  /** Must be called before the renderer of the user is created. */
  join(user: SharedContextUser): void {
    this.#users.set(user, new Map());
    this.#current = user;
  }

  /** Deletes all objects of a user. */
  leave(user: SharedContextUser): void {
    const objects = this.#users.get(user);
    if (objects === undefined) return;
    for (const deleteObject of objects.values()) deleteObject();
    this.#users.delete(user);
    this.#sizes.delete(user);
    if (this.#current === user) this.#current = undefined;
    if (this.#users.size === 0) this.#close();
  }

  /**
   * Must be called before each use of a renderer: another may have changed the state of the context. Returns false if the user
   * has left: its renderer must not be used.
   */
  makeCurrent(user: SharedContextUser): boolean {
    if (!this.#users.has(user)) return false;
    if (this.#current === user) return true;
    this.#current = user;
    user.renderer?.resetState();
    user.renderer?.setRenderTarget(null);
    return true;
  }

  /** Makes the drawing buffer as large as the largest picture of a user. */
  setSize(user: SharedContextUser, size: Size): void {
    this.#sizes.set(user, size);
    const sizes = [...this.#sizes.values()];
    const width = Math.max(...sizes.map((size) => size.width));
    const height = Math.max(...sizes.map((size) => size.height));
    const { canvas } = this;
    // Setting a size clears the buffer, and allocates it again.
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
  }

  /** Records which user has created an object: `WebGLRenderer.dispose` does not delete all of them. */
  #recordObjects(): void {
    const gl = this.gl as unknown as Record<string, AnyFunction>;
    for (const kind of OBJECT_KINDS) {
      const create = gl[`create${kind}`]?.bind(gl) as AnyFunction;
      const remove = gl[`delete${kind}`]?.bind(gl) as AnyFunction;
      const getObjects = () => this.#current && this.#users.get(this.#current);
      gl[`create${kind}`] = (...args) => {
        const object = create(...args) as object;
        getObjects()?.set(object, () => remove(object));
        return object;
      };
      gl[`delete${kind}`] = (object) => {
        for (const objects of this.#users.values()) objects.delete(object as object);
        remove(object);
      };
    }
  }

  #close(): void {
    this.#closed.abort();
    this.#onClosed();
    const users = [...this.#users.keys()];
    this.#users.clear();
    this.gl.getExtension('WEBGL_lose_context')?.loseContext();
    for (const { onLost } of users) onLost();
  }
}
