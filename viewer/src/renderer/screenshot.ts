import type { ScreenshotOptions } from '@cloche/contract/message';
import { ViewerProblem } from '@cloche/contract/viewer-problem';
import { createArgumentProblem } from '../argument-problem.ts';
import { paintBackground } from './paint-background.ts';
import type { SceneRenderer } from './scene-renderer.ts';

const MAX_SIDE = 4096;
const TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/webp'];

type Size = { width: number; height: number };

/**
 * Encodes a picture of the current view, with the background of the frame, in any size. The picture on the screen does not
 * change. The renderer must not be suspended.
 *
 * @throws {ViewerProblem} viewer.invalid-argument; viewer.screenshot: the device cannot draw or encode it
 */
export async function takeScreenshot(
  renderer: SceneRenderer,
  { type = 'image/png', quality, ...size }: ScreenshotOptions,
): Promise<Blob> {
  if (!TYPES.includes(type)) throw createArgumentProblem('type', TYPES.join(', '));
  if (quality !== undefined && !(quality >= 0 && quality <= 1)) {
    throw createArgumentProblem('quality', 'a number from 0 to 1');
  }
  const canvas = draw(renderer, resolveSize(renderer.canvas, size));
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, quality));
  // Browsers encode as PNG what they cannot encode otherwise.
  if (blob?.type !== type) throw new ViewerProblem('viewer.screenshot', `Type: ${type}.`);
  return blob;
}

/** One omitted side follows from the aspect ratio of the frame; without both, the picture is that of the screen. */
function resolveSize(frame: Size, { width, height }: Pick<ScreenshotOptions, keyof Size>): Size {
  for (const [name, side] of Object.entries({ width, height })) {
    const isValid = side === undefined || (Number.isInteger(side) && side >= 1 && side <= MAX_SIDE);
    if (!isValid) throw createArgumentProblem(name, `an integer from 1 to ${MAX_SIDE}`);
  }
  const scale = width !== undefined ? width / frame.width : (height ?? frame.height) / frame.height;
  const limit = (side: number) => Math.min(Math.max(Math.round(side), 1), MAX_SIDE);
  return {
    width: width ?? limit(frame.width * scale),
    height: height ?? limit(frame.height * scale),
  };
}

/** Draws and copies in one task: browsers show the canvas only after it, as it was before. */
function draw(renderer: SceneRenderer, { width, height }: Size): HTMLCanvasElement {
  const picture = Object.assign(document.createElement('canvas'), { width, height });
  const context = picture.getContext('2d');
  if (context === null)
    throw new ViewerProblem('viewer.screenshot', `${width} × ${height} pixels.`);
  const { surface, viewCamera } = renderer;
  try {
    surface.setSize(width, height, 1);
    const gl = surface.webGLRenderer.getContext();
    if (gl.drawingBufferWidth < width || gl.drawingBufferHeight < height) {
      throw new ViewerProblem('viewer.screenshot', `${width} × ${height} pixels are too many.`);
    }
    viewCamera.resize(width, height);
    renderer.render();
    paintBackground(context, picture);
    context.drawImage(surface.canvas, 0, 0);
  } finally {
    renderer.restoreSize();
  }
  return picture;
}
