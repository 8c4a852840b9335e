import { PerspectiveCamera, Scene } from 'three';
import { createSampleShadow } from './contact-shadow.ts';
import type { SceneRenderer } from './scene-renderer.ts';
import { rendersInSoftware } from './software-rendering.ts';

/** After it, the shader of the shadow is compiled on most machines. */
const COMPILE_MS = 8;
/** So far away, the sample covers a few pixels at most: drawing it compiles what drawing a shadow of any size does. */
const SAMPLE_DISTANCE = 1000;

/**
 * Does what does not depend on the model while the model is loaded: compiles the shader of the shadow, draws one, and, with a GPU, uploads the environment
 * map. Without a GPU, the browser draws in software, which compiles each kind of drawing once more, when it draws it for the first time: so a model
 * is drawn earlier.
 *
 * Draws and uploads nothing after a model has been drawn. Nothing is visible: the shadow is transparent.
 */
export async function warmUp(renderer: SceneRenderer): Promise<void> {
  const { webGLRenderer } = renderer;
  const isWaiting = () =>
    !renderer.hasModel && !renderer.isSuspended && renderer.webGLRenderer === webGLRenderer;
  const gl = webGLRenderer.getContext();
  // three.js asks for these extensions later. Then the browser would wait for the compiler.
  for (const name of ['EXT_texture_filter_anisotropic', 'KHR_parallel_shader_compile'])
    webGLRenderer.extensions.has(name);
  const scene = new Scene().add(createSampleShadow());
  const camera = new PerspectiveCamera();
  camera.position.y = SAMPLE_DISTANCE;
  camera.lookAt(scene.position);
  webGLRenderer.compile(scene, camera);
  gl.flush();
  // In Safari, it is uploaded with the textures of the model; without a GPU, only for models that need it.
  if (!rendersInSoftware(webGLRenderer))
    globalThis.requestIdleCallback?.(() => {
      const { environment } = renderer.scene;
      if (isWaiting() && environment !== null) webGLRenderer.initTexture(environment);
    });
  await new Promise((resolve) => setTimeout(resolve, COMPILE_MS));
  if (!isWaiting()) return;
  // Not presented: the browser would read the canvas back.
  webGLRenderer.render(scene, camera);
  gl.flush();
}
