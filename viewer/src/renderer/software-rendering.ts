import type { WebGLRenderer } from 'three';
import { createMipmaps } from './canvas-mipmaps.ts';
import { type TextureState, uploadRows } from './upload-rows.ts';

/** Names of renderers without a GPU: of Chromium, of Linux, and of Windows. */
const SOFTWARE_RENDERERS = /SwiftShader|llvmpipe|Microsoft Basic Render/;

/**
 * Without a GPU, lets three.js upload images in parts, and fill their mipmaps with a 2D canvas. Not for posters, which all visitors see: they have
 * the mipmaps of WebGL.
 */
export function useSoftwareUploads({ capabilities }: WebGLRenderer, gl: WebGL2RenderingContext) {
  if (document.documentElement.dataset.posterMode !== undefined) return;
  if (!SOFTWARE_RENDERERS.test(getRendererName(gl))) return;
  // The build adds them: viewer/build/three-replacements.ts.
  Object.assign(capabilities, {
    createMipmaps,
    uploadRows: (state: TextureState, image: unknown, ...formats: [GLenum, GLenum]) =>
      uploadRows(gl, state, image, formats),
  });
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
