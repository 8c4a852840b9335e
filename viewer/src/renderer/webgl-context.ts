import { ViewerError } from '../viewer-error.ts';

export const CONTEXT_ATTRIBUTES = {
  alpha: true,
  antialias: true,
  powerPreference: 'default',
} as const satisfies WebGLContextAttributes;

/** For a context that has a MultisampleBuffer. */
export const SINGLE_SAMPLE_ATTRIBUTES: WebGLContextAttributes = {
  ...CONTEXT_ATTRIBUTES,
  antialias: false,
  depth: false,
};

/**
 * Creates the WebGL context of a canvas. If three.js creates it and fails, it logs an error to the console.
 *
 * @throws {ViewerError} no-webgl
 */
export function getWebGLContext(
  canvas: HTMLCanvasElement,
  attributes: WebGLContextAttributes = CONTEXT_ATTRIBUTES,
): WebGL2RenderingContext {
  const context = canvas.getContext('webgl2', attributes) as WebGL2RenderingContext | null;
  if (context === null) throw new ViewerError('no-webgl');
  return context;
}
