import { type Object3D, Scene } from 'three';
import { collectTextures } from '../scene/dispose-model.ts';
import type { SceneRenderer } from './scene-renderer.ts';

/**
 * Compiles the shaders of a model and uploads its textures, one at a time, while another model is
 * shown. The frame that shows it, and input until then, are not delayed.
 */
export async function precompile(
  root: Object3D,
  { renderer, scene, viewCamera: { camera } }: SceneRenderer,
): Promise<void> {
  // In a scene of its own: the number of lights is part of the shaders, and those of the model that
  // is shown now will be gone.
  const ownScene = new Scene();
  ownScene.environment = scene.environment;
  ownScene.add(root);
  root.updateWorldMatrix(true, true);
  // Without the extension, compileAsync only adds a warning.
  if (renderer.extensions.has('KHR_parallel_shader_compile')) {
    await renderer.compileAsync(ownScene, camera);
  } else {
    renderer.compile(ownScene, camera);
  }
  for (const texture of collectTextures(root)) {
    renderer.initTexture(texture);
    await yieldToEventLoop();
  }
  ownScene.remove(root);
}

/** Not with a timer: in pages out of sight, timers are delayed to once a second. */
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
