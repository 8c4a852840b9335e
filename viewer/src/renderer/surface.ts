import { NeutralToneMapping, WebGLRenderer } from 'three';
import { ViewerError } from '../viewer-error.ts';
import { MultisampleBuffer } from './multisample-buffer.ts';
import type { SharedContext, SharedContextUser } from './shared-context.ts';
import { listDefines } from './shared-textures.ts';
import { useSoftwareUploads } from './software-rendering.ts';
import { CONTEXT_ATTRIBUTES, getWebGLContext, SINGLE_SAMPLE_ATTRIBUTES } from './webgl-context.ts';

/** A canvas and what draws on it. Disposing of it frees the memory of the GPU; the canvas may become empty. */
export type Surface = Disposable & {
  readonly canvas: HTMLCanvasElement;
  readonly webGLRenderer: WebGLRenderer;
  /** Sets the size of the canvas. CSS pixels. */
  setSize(width: number, height: number, pixelRatio: number): void;
  /** Must be called in the same task as the drawing. */
  present(): void;
};

/** Opens a surface with a WebGL context of its own. @throws {ViewerError} no-webgl */
export function openOwnSurface(canvas: HTMLCanvasElement): Surface {
  const keepsSamples = browserKeepsSamples();
  const context = getWebGLContext(canvas, keepsSamples ? SINGLE_SAMPLE_ATTRIBUTES : undefined);
  const samples = keepsSamples ? new MultisampleBuffer(context) : undefined;
  const webGLRenderer = createWebGLRenderer(canvas, context);
  const render = webGLRenderer.render.bind(webGLRenderer);
  webGLRenderer.render = (...args) => {
    if (webGLRenderer.getRenderTarget() === null) samples?.prepare();
    render(...args);
  };
  return {
    canvas,
    webGLRenderer,
    setSize: (...size) => webGLRenderer.setDrawingBufferSize(...size),
    present: () => samples?.present(),
    [Symbol.dispose]() {
      samples?.[Symbol.dispose]();
      webGLRenderer.dispose();
      // Frees the memory now, not when the garbage collector finds the canvas.
      context.getExtension('WEBGL_lose_context')?.loseContext();
    },
  };
}

/** Whether the samples of a canvas are in memory. The GPUs of phones have them in their tiles, where browsers draw to the canvas. */
function browserKeepsSamples(): boolean {
  return !navigator.userAgent.includes('Android');
}

/** The methods of WebGLRenderer that use its context. */
const DRAWING_METHODS = [
  'clear',
  'compile',
  'copyTextureToTexture',
  'initRenderTarget',
  'initTexture',
  'readRenderTargetPixels',
  'render',
  'setRenderTarget',
  'setScissor',
  'setScissorTest',
  'setViewport',
] as const;

/** Opens a surface that draws with a shared context and copies each picture to its canvas. */
export function openSharedSurface(
  canvas: HTMLCanvasElement,
  shared: SharedContext,
  onLost: () => void,
): Surface {
  const user: SharedContextUser = { renderer: undefined, onLost };
  shared.join(user);
  const webGLRenderer = createWebGLRenderer(canvas, shared.gl);
  user.renderer = webGLRenderer;
  const methods = webGLRenderer as unknown as Record<string, (...args: unknown[]) => unknown>;
  for (const name of DRAWING_METHODS) {
    const method = methods[name]?.bind(webGLRenderer) as (...args: unknown[]) => unknown;
    methods[name] = (...args) => {
      if (shared.makeCurrent(user)) return method(...args);
      // Others draw with the context. `compile` returns the materials that it has compiled.
      return name === 'compile' ? new Set() : undefined;
    };
  }
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  context.globalCompositeOperation = 'copy';
  return {
    canvas,
    webGLRenderer,
    setSize(width, height, pixelRatio) {
      webGLRenderer.setDrawingBufferSize(width, height, pixelRatio);
      webGLRenderer.setScissor(0, 0, width, height);
      webGLRenderer.setScissorTest(true);
      shared.setSize(user, canvas);
      // Changing the size of a canvas resets its context.
      context.globalCompositeOperation = 'copy';
    },
    present() {
      // Then the canvas keeps its picture until the loss is noticed.
      if (shared.gl.isContextLost()) return;
      const { width, height } = canvas;
      const top = shared.canvas.height - height;
      context.drawImage(shared.canvas, 0, top, width, height, 0, 0, width, height);
    },
    [Symbol.dispose]() {
      shared.makeCurrent(user);
      webGLRenderer.dispose();
      shared.leave(user);
    },
  };
}

function createWebGLRenderer(
  canvas: HTMLCanvasElement,
  context: WebGL2RenderingContext,
): WebGLRenderer {
  try {
    const renderer = new WebGLRenderer({ canvas, context, ...CONTEXT_ATTRIBUTES });
    renderer.toneMapping = NeutralToneMapping;
    // Reading the logs would wait for the compiler. precompile.ts checks the result without waiting.
    renderer.debug.checkShaderErrors = false;
    // The build lets three.js use it: viewer/build/three-replacements.ts.
    Object.assign(renderer.capabilities, { listDefines });
    useSoftwareUploads(renderer, context);
    return renderer;
  } catch (cause) {
    throw new ViewerError('no-webgl', { cause });
  }
}
