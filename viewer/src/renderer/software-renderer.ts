/** The names: of Chromium's, of Linux's, and of Windows'. */
const NAMES = /SwiftShader|llvmpipe|Microsoft Basic Render/;

/** Whether a context draws without a GPU. */
export function isSoftwareRenderer(gl: WebGL2RenderingContext): boolean {
  return NAMES.test(getRendererName(gl));
}

/** Firefox warns if a page asks for the extension: there, the name is in another parameter. */
function getRendererName(gl: WebGL2RenderingContext): string {
  const name = gl.getParameter(gl.RENDERER) as string;
  if (!name.startsWith('WebKit')) return name;
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  return info === null ? name : (gl.getParameter(info.UNMASKED_RENDERER_WEBGL) as string);
}
