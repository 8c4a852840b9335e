/** A script for a document: the browser says that it has a GPU. The names are RENDERER and UNMASKED_RENDERER_WEBGL. */
export const PRETEND_GPU = `{
  const { getParameter } = WebGL2RenderingContext.prototype;
  WebGL2RenderingContext.prototype.getParameter = function (name) {
    return name === 0x1f01 || name === 0x9246
      ? 'ANGLE (NVIDIA, Vulkan 1.3)'
      : getParameter.call(this, name);
  };
}`;
