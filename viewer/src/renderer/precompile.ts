import {
  type Object3D,
  type PerspectiveCamera,
  Scene,
  type Texture,
  type WebGLRenderer,
} from 'three';
import { collectTextures } from '../scene/dispose-model.ts';
import type { SceneRenderer } from './scene-renderer.ts';

/**
 * Compiles the shaders of a model and meanwhile uploads its textures, one per task, before it is drawn. So
 * neither input nor the first frame of the model is delayed.
 *
 * @throws {Error} if a shader cannot be compiled
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
  // The GPU makes the mip levels of a texture while the next one is prepared.
  const textures = [...collectTextures(root), scene.environment];
  const compiling = compile(webGLRenderer, ownScene, camera);
  // Compiles meanwhile.
  webGLRenderer.getContext().flush();
  const uploading = uploadTextures(webGLRenderer, textures);
  try {
    await Promise.all([compiling, uploading]);
    assertLinked(webGLRenderer);
  } finally {
    // After an error, nothing may be uploaded that was disposed of.
    await Promise.allSettled([compiling, uploading]);
    ownScene.remove(root);
  }
}

async function compile(
  renderer: WebGLRenderer,
  scene: Scene,
  camera: PerspectiveCamera,
): Promise<void> {
  // Without the extension, compileAsync does the same as compile, but logs a warning.
  if (renderer.extensions.has('KHR_parallel_shader_compile'))
    await renderer.compileAsync(scene, camera);
  else renderer.compile(scene, camera);
}

async function uploadTextures(
  renderer: WebGLRenderer,
  textures: readonly (Texture | null)[],
): Promise<void> {
  for (const texture of textures) {
    await yieldToEventLoop();
    if (texture === null) continue;
    renderer.initTexture(texture);
    // Otherwise the GPU would begin with it when the model is drawn.
    renderer.getContext().flush();
  }
}

/** three.js does not check the programs: that would wait for the compiler. Now they are complete. */
function assertLinked(renderer: WebGLRenderer): void {
  const gl = renderer.getContext();
  for (const { program } of (renderer.info.programs ?? []) as { program: WebGLProgram }[]) {
    if (gl.getProgramParameter(program, gl.LINK_STATUS) || gl.isContextLost()) continue;
    throw new Error(`A shader could not be compiled. ${gl.getProgramInfoLog(program)}`);
  }
}

/** Resolves in a later task. Not with a timer: in hidden pages, timers run only once a second. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
