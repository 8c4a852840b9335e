import {
  type Object3D,
  type PerspectiveCamera,
  Scene,
  type Texture,
  type WebGLRenderer,
} from 'three';
import { collectTextures, readsEnvironmentMap } from '../scene/model-materials.ts';
import type { SceneRenderer } from './scene-renderer.ts';

/**
 * Compiles the shaders of a model and meanwhile uploads its textures, one per task, before it is drawn. So
 * neither input nor the first frame of the model is delayed. If the context is lost or given away meanwhile, the rest
 * is left to the first draw in a new one.
 *
 * @param images resolves when the textures have their images
 * @throws {Error} if a shader cannot be compiled; as `images`
 */
export async function precompile(
  root: Object3D,
  renderer: SceneRenderer,
  images: Promise<unknown> = Promise.resolve(),
): Promise<void> {
  const {
    webGLRenderer,
    scene: { environment },
    viewCamera: { camera },
  } = renderer;
  const isActive = () => !renderer.isSuspended && renderer.webGLRenderer === webGLRenderer;
  // A separate scene, because shaders depend on the number of lights: the lights of the current model
  // must not be counted.
  const ownScene = new Scene();
  ownScene.environment = environment;
  ownScene.add(root);
  root.updateWorldMatrix(true, true);
  const compiling = compile(webGLRenderer, ownScene, camera);
  // Compiles meanwhile.
  webGLRenderer.getContext().flush();
  const upload = async (texture: Texture) => {
    await yieldToEventLoop();
    if (!isActive()) return;
    webGLRenderer.initTexture(texture);
    // Otherwise the GPU would begin with it when the model is drawn.
    webGLRenderer.getContext().flush();
  };
  const decoded = Promise.race([images, compiling.then(() => images)]);
  // Awaited after an upload; until then, a failure must not count as unhandled.
  decoded.catch(() => undefined);
  const reflected = readsEnvironmentMap(root) ? environment : null;
  const uploading = uploadTextures(root, { images: decoded, environment: reflected, upload });
  try {
    await Promise.all([compiling, uploading]);
    if (isActive()) assertLinked(webGLRenderer);
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

type UploadOptions = {
  images: Promise<unknown>;
  environment: Texture | null;
  upload: (texture: Texture) => Promise<void>;
};

async function uploadTextures(
  root: Object3D,
  { images, environment, upload }: UploadOptions,
): Promise<void> {
  if (environment !== null) await upload(environment);
  await images;
  // The GPU makes the mip levels of a texture while the next one is prepared.
  for (const texture of collectTextures(root)) await upload(texture);
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
