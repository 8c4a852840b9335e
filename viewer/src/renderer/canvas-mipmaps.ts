import type { WebGLRenderer } from 'three';

/** Names of renderers without a GPU: of Chromium, of Linux, and of Windows. */
const SOFTWARE_RENDERERS = /SwiftShader|llvmpipe|Microsoft Basic Render/;
/** The level whose alpha is checked: one transparent texel of an image of 16 × 16 or more is still visible in it. */
const ALPHA_LEVEL = 4;

/**
 * Without a GPU, lets three.js fill the mipmaps of images with a 2D canvas: 5 to 8 ms for 1024 × 1024. SwiftShader takes 9 to 19 ms, and about 50 for
 * sRGB textures, because it calculates powers for each texel. Of color textures, it averages the encoded
 * values and not the light, so details smaller than a pixel can be a little darker; of normal maps and other data, it makes what WebGL makes. Posters,
 * which all visitors see, have the mipmaps of WebGL, and so do images that are uploaded in parts.
 */
export function useCanvasForMipmaps({ capabilities }: WebGLRenderer, gl: WebGL2RenderingContext) {
  if (document.documentElement.dataset.posterMode !== undefined) return;
  if (!SOFTWARE_RENDERERS.test(getRendererName(gl))) return;
  // The build adds it: viewer/build/three-replacements.ts.
  Object.assign(capabilities, { createMipmaps });
}

/**
 * Whether a renderer has no GPU, and does not render posters. Known since its context was opened: a lost context has no name, and asking for it waits
 * for the GPU process.
 */
export function rendersInSoftware({ capabilities }: WebGLRenderer): boolean {
  return 'createMipmaps' in capabilities;
}

/** Firefox warns if a page asks for the extension: there, the name is in another parameter. */
function getRendererName(gl: WebGL2RenderingContext): string {
  const name = gl.getParameter(gl.RENDERER) as string;
  if (!name.startsWith('WebKit')) return name;
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  return info === null ? name : (gl.getParameter(info.UNMASKED_RENDERER_WEBGL) as string);
}

/**
 * Returns the levels of an image after the first one; undefined if WebGL must generate them. A canvas multiplies colors with their alpha, so
 * images with transparent parts are left to WebGL.
 */
function createMipmaps(image: unknown): OffscreenCanvas[] | undefined {
  if (!(image instanceof ImageBitmap)) return undefined;
  const levels: OffscreenCanvas[] = [];
  let { width, height }: { width: number; height: number } = image;
  let larger: ImageBitmap | OffscreenCanvas = image;
  while (width > 1 || height > 1) {
    width = Math.max(1, width >> 1);
    height = Math.max(1, height >> 1);
    const level = new OffscreenCanvas(width, height);
    const context = level.getContext('2d', { willReadFrequently: true });
    if (context === null) return undefined;
    context.drawImage(larger, 0, 0, width, height);
    levels.push(level);
    const isChecked =
      levels.length === ALPHA_LEVEL || (levels.length < ALPHA_LEVEL && width * height === 1);
    if (isChecked && !isOpaque(context.getImageData(0, 0, width, height))) {
      // Frees their memory now.
      for (const canvas of levels) canvas.width = 0;
      return undefined;
    }
    larger = level;
  }
  return levels;
}

function isOpaque({ data }: ImageData): boolean {
  return data.every((value, index) => index % 4 !== 3 || value === 255);
}
