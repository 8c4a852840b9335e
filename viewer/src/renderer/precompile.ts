import { type Object3D, Scene } from 'three';
import { collectTextures } from '../scene/dispose-model.ts';
import type { SceneRenderer } from './scene-renderer.ts';

/**
 * Compiles the shaders of a model and uploads its textures, one at a time, while another model is
 * shown. So neither input nor the first frame of the model is delayed.
 */
export async function precompile(
  root: Object3D,
  { webGLRenderer, scene, viewCamera: { camera } }: SceneRenderer,
): Promise<void> {
  // A separate scene, because shaders depend on the number of lights: the lights of the current model
  // must not be counted.
  const ownScene = new Scene();
  ownScene.environment = scene.environment;
  ownScene.add(root);
  root.updateWorldMatrix(true, true);
  // Without the extension, compileAsync does the same as compile, but logs a warning.
  if (webGLRenderer.extensions.has('KHR_parallel_shader_compile')) {
    await webGLRenderer.compileAsync(ownScene, camera);
  } else {
    webGLRenderer.compile(ownScene, camera);
  }
  for (const texture of collectTextures(root)) {
    webGLRenderer.initTexture(texture);
    await yieldToEventLoop();
  }
  ownScene.remove(root);
}

/** Resolves in a later task. Not with a timer: in hidden pages, timers run only once a second. */
function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
